"""The hooks that pytest calls: this module and all that it imports at the top is stdlib and pytest."""
