"""Confirms a password that an administrator set, for a person who has forgotten the former one."""

from django.core.management.base import BaseCommand, CommandError, CommandParser

from retrieval.models import SetPassword


class Command(BaseCommand):
    help = "Open a person's private documents again after an administrator set their password."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", help="Ask the person first, not by their account here.")

    def handle(self, *args, username: str, **options) -> None:
        if not SetPassword.objects.filter(user__username=username).delete()[0]:
            raise CommandError(f"No password of {username} waits to be confirmed.")
        self.stdout.write(f"Confirmed: {username} reads their private documents again.")
