"""Who asks: the names that grants are given to, and what a key or person may do. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks. `principals` name what grants are given to: "user:5", "group:2", "key:9"."""

    principals: tuple[str, ...] = ()
    scopes: frozenset[str] = frozenset()
    is_staff: bool = False

    @property
    def scope_key(self) -> str:
        """Two callers with the same key may be shown the same things; part of every cache key."""
        return ",".join(sorted(self.principals)) or "public"


ANONYMOUS = Caller()
