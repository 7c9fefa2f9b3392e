"""Pictures of pages for docs/pictures.md, by Chromium."""
