"""Faces of a reviewed game: text, Markdown, and one page of HTML with the curve of everybody's chances."""
