"""Invalid values of the contract cannot be built, and say why."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis_lsp.contract import (
    Annot,
    Answer,
    Axis,
    Branch,
    Cite,
    Claim,
    Context,
    Continuation,
    Coord,
    Evidence,
    ExtractorState,
    Filled,
    Grounding,
    Holding,
    Identified,
    Interaction,
    Member,
    Origin,
    Qualification,
    Reach,
    RecalledContext,
    Recognizable,
    Response,
    SourceScan,
    Stepped,
    Turn,
    Utterance,
    Whole,
    fuse,
)

origins = st.sampled_from(Origin)
turns = st.builds(Turn, origins, st.text(max_size=3))
contexts = st.lists(turns, max_size=6).map(tuple)
GROUNDS = {Origin.PERSON, Origin.EXTERNAL, Origin.PEER}
EVIDENCE = {Origin.EXTERNAL, Origin.PEER}


def opened(text: str = "a record") -> Turn[str]:
    return Turn(Origin.EXTERNAL, text)


@given(origins)
def test_only_a_person_something_external_or_a_peer_grounds(origin: Origin) -> None:
    if origin in GROUNDS:
        assert Grounding(origin).val is origin
    else:
        with pytest.raises(ValueError, match=f"of origin {origin.value} grounds nothing"):
            Grounding(origin)


@pytest.mark.parametrize(
    ("kind", "admitted", "says"),
    [
        (Utterance, {Origin.PERSON}, "a person's turn"),
        (Response, {Origin.ASSISTANT}, "the assistant's turn"),
        (Evidence, EVIDENCE, "external or a peer's"),
    ],
)
@pytest.mark.parametrize("origin", Origin)
def test_a_turn_is_wrapped_only_by_its_own_kind(
    kind: type[Utterance[str]], admitted: set[Origin], says: str, origin: Origin
) -> None:
    turn = Turn(origin, "x")
    if origin in admitted:
        assert kind(turn).val is turn
    else:
        with pytest.raises(ValueError, match=f"{says}.*of origin {origin.value}"):
            kind(turn)


@given(contexts, st.text(max_size=3))
def test_fusing_keeps_the_context_and_adds_the_turn_at_its_end(c: Context[str], text: str) -> None:
    u = Utterance(Turn(Origin.PERSON, text))
    assert fuse(c, u) == (*c, u.val)


@given(contexts, st.integers(-2, 8), origins)
def test_a_cite_names_a_turn_of_its_context_on_the_origin_it_has(c: Context[str], idx: int, origin: Origin) -> None:
    if origin not in GROUNDS:
        return
    if not 0 <= idx < len(c):
        with pytest.raises(ValueError, match=f"no turn {idx} in a context of {len(c)}"):
            Cite(c, idx, Grounding(origin))
        with pytest.raises(ValueError, match=f"no turn {idx} in a context of {len(c)}"):
            Cite.to(c, idx)
    elif c[idx].origin is not origin:
        with pytest.raises(ValueError, match=f"turn {idx} is of origin {c[idx].origin.value}, not {origin.value}"):
            Cite(c, idx, Grounding(origin))
    else:
        cite = Cite(c, idx, Grounding(origin))
        assert cite.turn is c[idx]
        assert cite == Cite.to(c, idx)


@given(contexts, contexts)
def test_a_lifted_cite_is_the_same_turn_in_the_longer_context(c: Context[str], more: Context[str]) -> None:
    for idx, turn in enumerate(c):
        if turn.origin in GROUNDS:
            cite = Cite.to(c, idx)
            lifted = cite.lift(more)
            assert lifted.context == c + more
            assert lifted.turn is turn
            assert (lifted.idx, lifted.src) == (cite.idx, cite.src)
            assert cite.stands_in(c)
            assert cite.stands_in((*c,))
            assert cite.stands_in(c + more) == (not more)


def test_cites_of_different_contexts_differ_and_a_cite_can_be_a_key() -> None:
    c = (opened(),)
    cite = Cite.to(c, 0)
    assert cite != cite.lift((opened(),))
    assert len({cite, Cite.to(c, 0)}) == 1


@given(contexts, st.booleans())
def test_a_claim_needs_evidence_and_a_judgement_that_the_record_carries_it(c: Context[str], carries: bool) -> None:
    asked: list[tuple[Context[str], Turn[str], str]] = []

    def judge(context: Context[str], turn: Turn[str], text: str) -> bool:
        asked.append((context, turn, text))
        return carries

    for idx, turn in enumerate(c):
        if turn.origin not in GROUNDS:
            continue
        asked.clear()
        cite = Cite.to(c, idx)
        if turn.origin is Origin.PERSON:
            with pytest.raises(ValueError, match="not on a person's turn"):
                Claim("it was so", cite, judge)
            assert asked == []
        elif not carries:
            with pytest.raises(ValueError, match=f"turn {idx} does not carry this sentence"):
                Claim("it was so", cite, judge)
        else:
            assert Claim("it was so", cite, judge).src is cite
            assert asked == [(c, turn, "it was so")]


def test_a_claim_cannot_be_changed_into_another_sentence() -> None:
    claim = Claim("said", Cite.to((opened(),), 0), lambda _c, turn, text: (turn.content, text) == ("a record", "said"))
    with pytest.raises(dataclasses.FrozenInstanceError):
        claim.text = "decided"  # type: ignore[misc]
    with pytest.raises((ValueError, TypeError)):
        dataclasses.replace(claim, text="decided")


@given(contexts, st.booleans(), st.booleans())
def test_an_occurrence_is_filled_only_where_admitted_and_supported(
    c: Context[str], admits: bool, supports: bool
) -> None:
    coord: Coord[str, Answer] = Coord(lambda _src: admits, lambda _c, _turn, _a: supports)
    for idx, turn in enumerate(c):
        if turn.origin not in GROUNDS:
            continue
        cite = Cite.to(c, idx)
        if not admits:
            with pytest.raises(ValueError, match="not admitted"):
                Filled(coord, Answer.IDENTIFIED, cite)
        elif not supports:
            with pytest.raises(ValueError, match=f"turn {idx} does not support"):
                Filled(coord, Answer.IDENTIFIED, cite)
        else:
            assert Filled(coord, Answer.IDENTIFIED, cite).a is Answer.IDENTIFIED


def test_filling_asks_with_the_cited_turn_its_context_and_the_answer() -> None:
    c = (opened(), Turn(Origin.PERSON, "that's it"))
    asked: list[object] = []
    coord: Coord[str, Answer] = Coord(
        lambda src: asked.append(src) is None,
        lambda context, turn, a: asked.append((context, turn, a)) is None,
    )
    Filled(coord, Answer.STOPPED, Cite.to(c, 1))
    assert asked == [Grounding(Origin.PERSON), (c, c[1], Answer.STOPPED)]


def test_a_whole_is_one_of_the_four_or_named_as_it_comes() -> None:
    assert [str(w) for w in (Whole.SESSION, Whole.LINE, Whole.TOPIC, Whole.CONCEPT)] == [
        "session",
        "line",
        "topic",
        "concept",
    ]
    assert str(Whole.emergent("the two weeks before launch")) == "the two weeks before launch"
    for kind, name in (("emergent", ""), ("emergent", "  "), ("session", "x")):
        with pytest.raises(ValueError, match="emergent whole has a name"):
            Whole(kind, name)  # type: ignore[arg-type]


def test_an_axis_is_the_string_of_the_text() -> None:
    assert str(Axis("person", "Alice")) == "person: Alice"
    assert Axis("person", "Alice").source == "text"
    for kind, value in (("", "Alice"), ("person", "")):
        with pytest.raises(ValueError, match="a kind and a value"):
            Axis(kind, value)


def test_a_member_is_named_by_where_it_is() -> None:
    assert Member("anamnesis:///commit/x", "").handle is None
    with pytest.raises(ValueError, match="its locator is empty"):
        Member("", "a gist")


def test_a_recognizable_has_members_and_joins_only_several() -> None:
    a, b = Member("a", "a"), Member("b", "b")
    assert Recognizable(Whole.SESSION, (a,)).joins == ""
    assert Recognizable(Whole.LINE, (a, b), "b continues a").joins == "b continues a"
    assert Recognizable(Whole.LINE, (a, b)).joins == ""
    with pytest.raises(ValueError, match="at least one member"):
        Recognizable(Whole.SESSION, ())
    with pytest.raises(ValueError, match="joins must be empty"):
        Recognizable(Whole.SESSION, (a,), "itself")


@given(st.none() | st.integers(-3, 3))
def test_a_count_is_unknown_or_not_below_zero(count: int | None) -> None:
    def values() -> list[object]:
        return [
            Reach("turns", ExtractorState.SUCCEEDED, count),
            SourceScan(skipped_lines=count),
            SourceScan(unverified_person_turns=count),
            SourceScan(omitted_chars=count),
        ]

    if count is None or count >= 0:
        assert len(values()) == 4
    else:
        for build, name in (
            (lambda: Reach("turns", None, count), "omitted"),
            (lambda: SourceScan(skipped_lines=count), "skipped_lines"),
            (lambda: SourceScan(unverified_person_turns=count), "unverified_person_turns"),
            (lambda: SourceScan(omitted_chars=count), "omitted_chars"),
        ):
            with pytest.raises(ValueError, match=rf"{name} counts something: {count} is below zero"):
                build()


def test_a_scan_that_recorded_nothing_knows_nothing() -> None:
    assert dataclasses.astuple(SourceScan()) == (None, None, None)


def test_a_qualification_rests_on_what_a_reader_returned() -> None:
    c = (opened(), Turn(Origin.PERSON, "it was complete"))
    assert Qualification("r", (), SourceScan(), "captured in part", Cite.to(c, 0)).reach == ()
    with pytest.raises(ValueError, match="not on a person's turn"):
        Qualification("r", (), SourceScan(), "captured whole", Cite.to(c, 1))


@given(contexts, st.integers(-1, 7))
def test_only_a_persons_turn_identifies(c: Context[str], at: int) -> None:
    r = Recognizable(Whole.SESSION, (Member("a", "a"),))
    if not 0 <= at < len(c):
        with pytest.raises(ValueError, match=f"no turn {at} in a context of {len(c)}"):
            RecalledContext(c, r, (), (), "", at)
    elif c[at].origin is not Origin.PERSON:
        with pytest.raises(ValueError, match="only a person's turn identifies"):
            RecalledContext(c, r, (), (), "", at)
    else:
        value = RecalledContext(c, r, (), (), "", at)
        assert value.dissent is None
        assert Identified(value).context is c


@pytest.mark.parametrize("branch", Branch)
@pytest.mark.parametrize("outcome", [None, Holding[str](())])
def test_a_step_goes_on_exactly_where_it_has_no_outcome(branch: Branch, outcome: Holding[str] | None) -> None:
    goes_on = branch.value in ("presented", "asked", "expansion", "answered")
    if goes_on == (outcome is None):
        assert Stepped((), branch, outcome).branch is branch
    else:
        with pytest.raises(ValueError, match=f"took the branch {branch.value}"):
            Stepped((), branch, outcome)


def test_a_constitution_stops_and_an_extension_proceeds() -> None:
    assert Interaction.CONSTITUTION.realization is Continuation.STOP
    assert Interaction.EXTENSION.realization is Continuation.PROCEED


def test_only_an_interaction_has_a_kind() -> None:
    for what, kind in (("interaction", None), ("sense", Interaction.EXTENSION)):
        with pytest.raises(ValueError, match="an interaction has a kind"):
            Annot(what, kind)  # type: ignore[arg-type]
