"""The command `mq-oracle`."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, NoReturn

import click
from rich.table import Table

from oracle import __version__
from oracle.checking_command import check_command
from oracle.errors import BadInputError, MqOracleError, Place, UsageError
from oracle.examples.coverage import AreaCoverage, RuleCoverage, coverage
from oracle.examples.rule_examples import Example, examples_of
from oracle.judging.verdicts import Verdict
from oracle.mqi.constants import MQRC
from oracle.mqi.definitions import QueueDefinition, define
from oracle.mqi.names import Name, look_up, reason_code
from oracle.mqi.profile import PLATFORMS, PlatformName
from oracle.network.command import listen_command
from oracle.program import Console, Program
from oracle.replay import Replayed, Setup, replay
from oracle.replay.report import lines_of, members_of
from oracle.rules import catalogue
from oracle.rules.reason_rules import rules_of
from oracle.serve import Server, serve
from oracle.text.json_text import parse_json
from oracle.text.text_files import read_standard_input, read_text
from oracle.text.yaml_files import check_each

_FILE: Final = click.Path(dir_okay=False, allow_dash=True, path_type=Path)
_PLATFORMS: Final = click.Choice(PLATFORMS)
_PLATFORM_HELP: Final = "The platform whose rules the queue manager keeps."


@click.group(
    cls=Program,
    tool="mq-oracle",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: mq-oracle rules LCK-12",
)
@click.version_option(__version__, prog_name="mq-oracle")
def main() -> None:
    """Explain the rules of MQGET and MQPUT, and play a queue manager that keeps them."""


main.add_command(listen_command)
main.add_command(check_command)


def _rule_ids(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Return the rule ids with a prefix, for shell completion."""
    return [rule.id for rule in catalogue.rules() if rule.id.startswith(begun.upper())]


def _area_ids(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Return the areas with a prefix, for shell completion."""
    return [area for area in catalogue.areas() if area.startswith(begun.upper())]


@main.command("rules", epilog="Example: mq-oracle rules --area LCK, or: mq-oracle rules LCK-12 --json")
@click.argument("ids", nargs=-1, metavar="[RULE]...", shell_complete=_rule_ids)
@click.option("--area", shell_complete=_area_ids, help="Only the rules of one area, such as LCK.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs.")
def rules_command(ids: tuple[str, ...], area: str | None, *, as_json: bool) -> None:
    """List the rules of the catalogue, or explain some of them."""
    try:
        chosen = [catalogue.rule(each) for each in ids] or _of_area(area)
    except MqOracleError as error:
        fail(error)
    if as_json:
        click.echo(json.dumps([_members(rule) for rule in chosen], indent=2))
    elif ids:
        for rule in chosen:
            click.echo(explain(rule))
    else:
        _list(chosen)


@main.command("coverage", epilog="Example: mq-oracle coverage, or: mq-oracle coverage --area LCK --missing")
@click.option("--area", help="Only the rules of one area, such as LCK.")
@click.option("--missing", is_flag=True, help="List the rules that lack an implementation or an example.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs.")
def coverage_command(area: str | None, *, missing: bool, as_json: bool) -> None:
    """Show by area which rules are implemented and have examples.

    A rule that no call can show needs no example; --json gives the reason. The command plays all examples.
    """
    try:
        wanted = {rule.area for rule in _of_area(area)}
        areas = [entry for entry in coverage() if entry.area in wanted]
    except MqOracleError as error:
        fail(error)
    chosen = [entry for each in areas for entry in (each.missing if missing else each.rules)]
    if as_json:
        click.echo(json.dumps([_coverage_members(entry) for entry in chosen], indent=2))
    elif missing:
        _list_missing(chosen)
    else:
        _tabulate(areas)


@main.command("serve", epilog="Example: mq-conform run --target 'mq-oracle serve'")
@click.option(
    "--platform",
    type=_PLATFORMS,
    default="distributed",
    show_default=True,
    help=_PLATFORM_HELP,
)
def serve_command(platform: PlatformName) -> None:
    """Run the model as a target, on standard input and output."""
    # A byte that is not UTF-8 must not end the target: its line becomes an invalid request.
    lines = (line.decode("utf-8", errors="surrogateescape") for line in sys.stdin.buffer)
    for reply in serve(lines, Server(platform)):
        click.echo(reply)


@main.command("name", epilog="Example: mq-oracle name GMLK, or: mq-oracle name 2033 --json")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs.")
def name_command(name: str, *, as_json: bool) -> None:
    """Look up a constant, field or parameter by name or value.

    NAME is a C, RPG or COBOL name, or the value of a constant. Letter case does not matter. A name that was not found
    in IBM's documents is marked as unverified.
    """
    try:
        found = look_up(name)
    except MqOracleError as error:
        fail(error)
    if as_json:
        click.echo(json.dumps([{**asdict(each), "rules": _rules_of(each)} for each in found], indent=2))
    else:
        click.echo("\n".join(_describe(each) for each in found), nl=False)


@main.command("explain", epilog="Example: mq-oracle explain 2033, or: mq-oracle explain MQRC_Q_FULL --json")
@click.argument("reason")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs.")
def explain_command(reason: str, *, as_json: bool) -> None:
    """List the rules about a reason code. REASON is a number, or a name in any language."""
    try:
        found = rules_of(reason_code(reason))
    except MqOracleError as error:
        fail(error)
    name = f"MQRC_{MQRC(found.reason).name}"
    if as_json:
        decide, mention = (
            [{"id": rule.id, "title": rule.title} for rule in rules] for rules in (found.decide, found.mention)
        )
        click.echo(json.dumps({"reason": found.reason, "name": name, "decide": decide, "mention": mention}, indent=2))
        return
    click.echo(f"{found.reason} {name}\n\nRules whose statement or outcome names it:")
    _list(list(found.decide))
    if found.mention:
        click.echo("\nOther rules that name it, in what they leave free, in a reading or in what a log shows:")
        _list(list(found.mention))


@main.command(
    "replay",
    epilog="Example: mq-oracle replay transcript.jsonl, or: mq-oracle replay history.txt --setup queues.json --verbose",
)
@click.argument("history", type=_FILE)
@click.option("--setup", type=_FILE, help="For the notation: a JSON object with queues and qmgr.")
@click.option("--platform", type=_PLATFORMS, default="distributed", show_default=True, help=_PLATFORM_HELP)
@click.option("--verbose", is_flag=True, help="Print every allowed outcome with its rules.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs.")
def replay_command(history: Path, setup: Path | None, platform: PlatformName, *, verbose: bool, as_json: bool) -> None:
    """Replay a history on the model, call by call.

    For each call it shows the allowed outcomes, the observed one, and the rules. HISTORY is a transcript of the target
    protocol (requests and replies in turn, a line each), a history in the notation with the observed outcome after
    `->`, or an event log (JSON Lines) that is complete, begins with empty queues and fixes one order of its calls.

    The exit status is 0 if every call conforms, 1 at the first violation, and 2 for bad input or input that does not
    say enough to decide.
    """
    steps: list[Replayed] = []
    problem: MqOracleError | None = None
    try:
        beginning = None if setup is None else Setup(_setup_of(setup), str(setup))
        for step in replay(_read(history), str(history), beginning, platform):
            steps.append(step)
            if not as_json:
                click.echo("\n".join(lines_of(step, verbose=verbose)))
    except MqOracleError as error:
        problem = error
    departs = any(step.departs for step in steps)
    if as_json:
        verdict = Verdict.UNDECIDED if problem else Verdict.VIOLATES if departs else Verdict.CONFORMS
        report = {"verdict": verdict.value, "why": str(problem or ""), "calls": [members_of(step) for step in steps]}
        click.echo(json.dumps(report, indent=2))
    if problem is not None:
        fail(problem)
    if not as_json:
        click.echo(_ending(len(steps), departs=departs))
    sys.exit(int(departs))


def _ending(count: int, *, departs: bool) -> str:
    """Return the last line of a replay."""
    if count == 1:
        return f"1 call, {'which violates a rule' if departs else 'which conforms'}"
    return f"{count} calls, {'the last one violates a rule' if departs else 'all conform'}"


def _read(path: Path) -> str:
    return read_standard_input() if str(path) == "-" else read_text(path)


def _setup_of(path: Path) -> dict[str, Any]:
    text = _read(path)
    setup = parse_json(text, Place(str(path)))
    if not isinstance(setup, dict):
        raise BadInputError("a setup is an object with queues and qmgr", Place(str(path)))
    if isinstance(setup.get("queues"), list):
        check_each(setup["queues"], _check_queue, text, str(path), "queues")
    return setup


def _check_queue(queue: object) -> None:
    if isinstance(queue, dict):  # what else it may be is told with the setup
        define(QueueDefinition, queue)


def fail(error: MqOracleError) -> NoReturn:
    """Print an error, and exit with status 2."""
    click.echo(f"mq-oracle: {error}", err=True)
    sys.exit(2)


def explain(rule: catalogue.Rule) -> str:
    """Return everything that the catalogue says about a rule, as text."""
    lines = [f"{rule.id}  {rule.title}", "", rule.statement.strip(), ""]
    lines += [*rule.source_lines(), f"Platforms: {', '.join(rule.platforms)}", f"Strength: {rule.strength}"]
    for label, text in (("Outcome", rule.outcome), ("Free choice", rule.freedom), ("In a log", rule.log_check)):
        if text:
            lines.append(f"{label}: {text.strip()}")
    if rule.unobservable is None:
        lines.append(f"Observed by: {', '.join(rule.observed_by)}")
    else:
        lines.append(f"Not observable: {rule.unobservable.strip()}")
    lines += [f"Reading {reading.id}: {reading.reading.strip()}" for reading in rule.readings]
    lines += [line for example in examples_of(rule.id) for line in _example_lines(example)]
    return "\n".join(lines) + "\n"


def _example_lines(example: Example) -> list[str]:
    """Return an example as text: the setup, the earlier calls, and the two alternatives."""
    setup = [f"platform {example.platform}"] if example.platform != "distributed" else []
    setup += [f"queue {_attributes(queue)}" for queue in example.queues if dict(queue) != {"name": "Q"}]
    setup += [f"queue manager {_attributes(example.qmgr)}"] if example.qmgr else []
    given = [part.strip() for line in example.given.splitlines() for part in line.split(";") if part.strip()]
    return [
        "",
        f"Example{': ' if setup else ''}{', '.join(setup)}",
        *(f"           {line}" for line in given),
        f"  accepts  {example.accepts.strip()}",
        f"  rejects  {example.rejects.strip()}",
    ]


def _attributes(members: Mapping[str, Any]) -> str:
    return " ".join([str(members.get("name", "")), *(f"{k}={v}" for k, v in members.items() if k != "name")]).strip()


def _describe(name: Name) -> str:
    value = "" if name.value is None else f", value {name.value!r}"
    lines = [f"{name.c_name}  {name.kind}{value}"]
    lines += [f"  {alias.language:<6} {alias.name}{'' if alias.certain else ' (unverified)'}" for alias in name.aliases]
    rules = _rules_of(name)
    if rules:
        lines.append(f"  Rules  {', '.join(rules)}")
    return "\n".join(lines) + "\n"


def _rules_of(name: Name) -> list[str]:
    """Return the rules that decide about a reason code; none for another name."""
    return [] if name.reason is None else [rule.id for rule in rules_of(name.reason).decide]


def _of_area(area: str | None) -> list[catalogue.Rule]:
    if area is None:
        return list(catalogue.rules())
    known = catalogue.areas()
    if area.upper() not in known:
        raise UsageError(f"no area {area!r}; the areas are {', '.join(sorted(known))}")
    return list(known[area.upper()].rules)


def _members(rule: catalogue.Rule) -> dict[str, Any]:
    return {**rule.model_dump(mode="json"), "area": rule.area}


def _coverage_members(entry: RuleCoverage) -> dict[str, Any]:
    return {
        "id": entry.rule.id,
        "title": entry.rule.title,
        "implemented": entry.implemented,
        "examples": entry.examples,
        "exercised": entry.exercised,
        "unobservable": entry.rule.unobservable,
        "missing": list(entry.missing),
    }


def _tabulate(areas: list[AreaCoverage]) -> None:
    table = Table(box=None, header_style="bold")
    headings = ("Rules", "Implemented", "Examples", "Exercised", "Not observable", "Missing")
    for heading in ("Area", *headings):
        table.add_column(heading, justify="right" if heading in headings else "left")
    rows = [
        (len(each.rules), each.implemented, each.with_examples, each.exercised, each.unobservable, len(each.missing))
        for each in areas
    ]
    for each, row in zip(areas, rows, strict=True):
        table.add_row(each.area, *map(str, row))
    table.add_row("all", *(str(sum(column)) for column in zip(*rows, strict=True)), style="bold")
    Console().print(table)


def _list_missing(chosen: list[RuleCoverage]) -> None:
    table = Table(box=None, header_style="bold")
    for heading in ("Rule", "Missing", "Title"):
        table.add_column(heading, no_wrap=heading != "Title")
    for entry in chosen:
        table.add_row(entry.rule.id, ", ".join(entry.missing), entry.rule.title)
    Console().print(table)
    click.echo(f"{len(chosen)} rule{'' if len(chosen) == 1 else 's'}")


def _list(chosen: list[catalogue.Rule]) -> None:
    table = Table(box=None, header_style="bold")
    for heading in ("Rule", "Strength", "Title"):
        table.add_column(heading, no_wrap=heading != "Title")
    for rule in chosen:
        table.add_row(rule.id, rule.strength, rule.title)
    Console().print(table)
    click.echo(f"{len(chosen)} rule{'' if len(chosen) == 1 else 's'}")
