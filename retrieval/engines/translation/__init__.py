"""Spanish into English."""
