"""manage.py simulate_retraining [--typical]"""

from evaluation.learning.model_comparison import last_comparison
from evaluation.learning.simulation import EFFECTS, RETRAINS, RULES, World, deploy_rate, typical
from retrieval.management.base import ArfCommand


class Command(ArfCommand):
    help = "How often the rule of promotion, and rules it was chosen over, let through retrains of known quality."

    def add_arguments(self, parser):
        parser.add_argument(
            "--typical", action="store_true", help="on made-up topics, not the champion's own"
        )
        parser.add_argument("--retrains", type=int, default=RETRAINS)
        parser.add_argument(
            "--wrong", type=float, default=World().wrong, help="share of topics judged wrongly"
        )
        parser.add_argument("--changed", type=float, default=World().changed, help="share ranked otherwise")
        parser.add_argument("--spread", type=float, default=World().spread, help="of a change in nDCG@10")
        parser.add_argument("--seed", type=int, default=0)

    def handle(self, *, retrains: int, seed: int, **options) -> None:
        champion = typical() if options["typical"] else last_comparison()
        world = World(options["changed"], options["spread"], options["wrong"])
        mean = sum(pair.champion for pair in champion) / len(champion)
        self.stdout.write(
            f"{retrains} retrains each, {len(champion)} test topics, champion's nDCG@10 {mean:.3f}, {world}"
        )
        self.stdout.write("true difference   " + "".join(f"{name:>18}" for name in RULES))
        for effect in EFFECTS:
            rates = self._rates(champion, effect, retrains=retrains, world=world, seed=seed)
            self.stdout.write(f"{effect:+15.2f}   {rates}")

    def _rates(self, champion, effect: float, **how) -> str:
        try:
            return "".join(
                f"{deploy_rate(champion, effect, rule=rule, **how):>18.1%}" for rule in RULES.values()
            )
        except ValueError as problem:
            return str(problem)
