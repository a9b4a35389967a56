"""cherrysim: exact odds and advice for The Legend of the Cherry Tree that Blossoms Every Ten Years."""

__version__ = "0.1.0"
