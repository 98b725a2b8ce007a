"""Environments for reinforcement learning, with the checkers of their own interfaces."""

import re
import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from pettingzoo.test import parallel_api_test, parallel_seed_test
from swarmarium import envs as swarmarium_envs
from swarmarium.envs import (
    TASKS,
    Aggregation,
    PredatorPrey,
    Rollout,
    SceneTask,
    SwarmEnv,
    SwarmParallelEnv,
    SwarmVectorEnv,
    Task,
)

tasks = pytest.mark.parametrize("task", list(TASKS.values()), ids=list(TASKS))


@tasks
def test_gymnasium_accepts_the_environment(task):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*render_modes.*|.*spec.*|.*Box (low|high).*")
        check_env(SwarmEnv(task(), render_mode="rgb_array"))


@tasks
def test_pettingzoo_accepts_the_environment(task):
    parallel_api_test(SwarmParallelEnv(task()), num_cycles=400)
    parallel_seed_test(lambda: SwarmParallelEnv(task()))


class Short(Task):
    """Episodes of three actions."""

    source = "milling"
    groups = ("millers",)
    max_actions = 3


def vector(mode, task=None, count=4):
    return SwarmVectorEnv(task or Short(), count, autoreset_mode=mode)


def act(envs):
    return envs.step(envs.action_space.sample())


def test_spaces_follow_from_the_kinds():
    envs = SwarmVectorEnv(TASKS["Aggregation"](), 2)
    assert envs.single_observation_space == gymnasium.spaces.Box(0.0, 1.0, (10, 1), np.float32)
    high = envs.single_action_space.high[0]
    np.testing.assert_allclose(high, [0.128, 2 * 0.128 / 0.051], rtol=1e-6)


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_seeds_repeat_episodes(mode):
    first, second = (vector(mode, TASKS["Formation"]()) for _ in range(2))
    one, other = first.reset(seed=5)[0], second.reset(seed=5)[0]
    np.testing.assert_array_equal(one, other)
    assert (one[0] != one[1]).any() and (one != first.reset(seed=6)[0]).any()
    assert one.dtype == np.float32 and first.observation_space.contains(one)
    second.reset(seed=6)
    actions = first.action_space.sample()
    for left, right in zip(first.step(actions)[:4], second.step(actions)[:4]):
        np.testing.assert_array_equal(left, right)


def test_the_next_step_resets():
    envs = vector(AutoresetMode.NEXT_STEP)
    envs.reset(seed=1)
    truncated = [act(envs)[3].all() for _ in range(8)]
    assert truncated == [False, False, True, False, False, False, True, False]


def test_the_same_step_resets():
    envs = vector(AutoresetMode.SAME_STEP)
    begun, _ = envs.reset(seed=1)
    outcomes = [act(envs) for _ in range(6)]
    assert [bool(done[3].all()) for done in outcomes] == [False, False, True, False, False, True]
    infos = outcomes[2][4]
    assert infos["_final_obs"].all() and infos["final_obs"][0].shape == begun[0].shape
    assert envs._rollout.actions_done.tolist() == [0] * 4


def test_without_autoreset_the_caller_resets():
    envs = vector(AutoresetMode.DISABLED)
    envs.reset(seed=1)
    for _ in range(3):
        done = act(envs)
    assert done[3].all()
    with pytest.raises(gymnasium.error.ResetNeeded):
        act(envs)
    mask = np.array([True, True, True, True])
    envs.reset(options={"reset_mask": mask})
    assert not act(envs)[3].any()


def test_episodes_that_end_at_different_times_are_reset_alone():
    envs = vector(AutoresetMode.NEXT_STEP, TASKS["PredatorPrey"](), 16)
    observations, _ = envs.reset(seed=1)
    counts = np.zeros(16, dtype=int)
    for _ in range(100):
        # Predators go straight to the prey, which stands still.
        actions = 5.0 * observations[..., -2:]
        actions[:, -1] = 0.0
        observations, _, terminated, truncated, _ = envs.step(actions)
        counts += terminated | truncated
    assert (counts > 0).all() and len(set(counts.tolist())) > 1


def test_environments_of_one_task_are_independent():
    task = TASKS["Aggregation"]()
    alone, one, other = SwarmEnv(TASKS["Aggregation"]()), SwarmEnv(task), SwarmEnv(task)
    for env, seed in ((alone, 1), (one, 1), (other, 2)):
        env.reset(seed=seed)
    for _ in range(5):
        action = one.action_space.sample()
        other.step(other.action_space.sample())
        assert alone.step(action)[1] == one.step(action)[1]


def test_resets_of_some_keep_the_seeds_of_others():
    envs = vector(AutoresetMode.DISABLED)
    envs.reset(seed=1)
    envs.reset(seed=[9, None, None, None], options={"reset_mask": np.array([False, True, False, False])})
    again = vector(AutoresetMode.DISABLED)
    again.reset(seed=1)
    np.testing.assert_array_equal(envs.reset()[0][0], again.reset()[0][0])
    for wrong in ({"seed": [1, 2]}, {"options": {"reset_mask": np.ones(3, dtype=bool)}}):
        with pytest.raises(ValueError, match="expected 4"):
            envs.reset(**wrong)


def test_mistakes_are_named():
    class Empty(Task):
        source = "milling"

    for make, text in (
        (lambda: SwarmVectorEnv(TASKS["Aggregation"], 2), "expected a task such as"),
        (lambda: SwarmVectorEnv(Empty(), 2), "has no `groups`"),
        (lambda: vector("same"), "NextStep, SameStep, Disabled"),
        (lambda: vector("NextStep").step(np.zeros(3)), r"shape \(4, 6, 2\)"),
    ):
        with pytest.raises((TypeError, ValueError), match=text):
            make()


def task(**parts):
    """A task with some attributes and methods."""
    return type("Own", (Short,), parts)()


def step_all(made):
    """Makes each kind of environment of a task and acts once; returns the messages of their errors."""
    found = []
    for make in (SwarmEnv, SwarmParallelEnv, lambda task: SwarmVectorEnv(task, 2)):
        try:
            env = make(made)
            env.reset(seed=1)
            is_parallel = isinstance(env, SwarmParallelEnv)
            env.step({agent: np.zeros(2) for agent in env.agents} if is_parallel else env.action_space.sample())
            found.append("")
        except ValueError as error:
            found.append(str(error))
    return found


@pytest.mark.parametrize("method", ["reward", "terminated", "observe"])
@pytest.mark.parametrize("returned", [0.5, False, None, [[1, 2], [3]], np.zeros(5), np.zeros((6, 1)), "a", {"a": 1}])
def test_outputs_of_tasks_need_their_shapes(method, returned):
    messages = step_all(task(**{method: lambda self, world: returned}))
    shape = {"reward": "({}, 6)", "terminated": "({},)", "observe": "({}, 6, 1)"}[method]
    for message, count in zip(messages, (1, 1, 2)):
        start = f"the task Own: {method}: expected .* as an array of the shape {re.escape(shape.format(count))}, found "
        assert re.match(start, message), messages


def test_outputs_of_tasks_can_be_lists_and_need_their_types():
    assert SwarmEnv(task(terminated=lambda self, world: [False])).step(np.zeros((6, 2)))[2] is False
    for method, returned, message in (
        ("terminated", np.zeros(1), "expected truth values as an array of the shape (1,), found .* and the type float64"),
        ("reward", np.full((1, 6), "a"), "expected numbers as an array of the shape (1, 6), found .* and the type <U1"),
    ):
        with pytest.raises(ValueError, match=re.escape(message).replace(r"\.\*", ".*")):
            SwarmEnv(task(**{method: lambda self, world, returned=returned: returned})).step(np.zeros((6, 2)))


def test_limits_need_their_shapes():
    for method, returned, message in (
        ("observation_limits", 3, "observation_limits: expected two arrays .* found 3"),
        ("observation_limits", ([0, 0], [1]), r"observation_limits: expected two arrays .* found shapes \(2,\) and \(1,\)"),
        ("observation_limits", ([1], [0]), "observation_limits: expected smallest values that are at most the largest"),
        ("action_limits", (np.zeros((5, 2)), np.ones((5, 2))), r"action_limits: .* or of the shape \(6, parts\)"),
        ("action_limits", ([-1], [1]), "an action has 1 values, and a command of the group 'millers' 2"),
    ):
        with pytest.raises(ValueError, match=f"the task Own: {message}"):
            SwarmEnv(task(**{method: lambda self, batch, returned=returned: returned})).step(np.zeros((6, 1)))


def test_actions_need_their_shapes():
    env, several, parallel = SwarmEnv(Aggregation(4)), SwarmVectorEnv(Aggregation(4), 3), SwarmParallelEnv(PredatorPrey())
    parallel.reset(seed=1)
    for shape in ((2, 4), (8,), (1, 4, 2), (4,), ()):
        with pytest.raises(ValueError, match=r"action: expected numbers as an array of the shape \(4, 2\), found"):
            env.step(np.zeros(shape))
    for shape in ((3, 2, 4), (24,), (4, 2)):
        with pytest.raises(ValueError, match=r"actions: expected numbers as an array of the shape \(3, 4, 2\), found"):
            several.step(np.zeros(shape))
    for wrong in ("ab", None, [["a", "b"]] * 4):
        with pytest.raises(ValueError, match="action: expected numbers"):
            env.step(wrong)
    with pytest.raises(ValueError, match=r"the action of 'prey_0': expected numbers as an array of the shape \(2,\), found .*\(3,\)"):
        parallel.step({"prey_0": np.zeros(3)})
    for use, error in (
        (lambda: parallel.step({"pray_0": np.zeros(2)}), ValueError),
        (lambda: parallel.action_space("pray_0"), KeyError),
        (lambda: parallel.observation_space("pray_0"), KeyError),
    ):
        with pytest.raises(error, match="there is no agent 'pray_0': the agents are predators_0, .* did you mean `prey_0`"):
            use()


@pytest.mark.parametrize("name", ["steps_per_action", "max_actions"])
@pytest.mark.parametrize("value", [0, -1, 1.5, None, "3"])
def test_tasks_need_whole_numbers(name, value):
    with pytest.raises(ValueError, match=f"the task Own: {name}: expected .*, found {value!r}"):
        SwarmEnv(task(**{name: value}))


def test_seeds_and_numbers_of_environments_are_whole_numbers():
    envs = vector("NextStep")
    for use, message in (
        (lambda: envs.reset(seed=-1), "seed: expected"),
        (lambda: envs.reset(seed=1.5), "seed: expected"),
        (lambda: envs.reset(seed=[1, 2, 3, "4"]), "seed: expected"),
        (lambda: vector("NextStep", count=0), "num_envs: expected at least 1, found 0"),
        (lambda: vector("NextStep", count=2.5), "num_envs: expected a whole number, found 2.5"),
    ):
        with pytest.raises(ValueError, match=message):
            use()
    np.testing.assert_array_equal(envs.reset(seed=np.arange(5, 9))[0], envs.reset(seed=np.int64(5))[0])


MIXED = """(
    arena: (size_m: (6.0, 6.0)),
    groups: [
        (
            name: "slow", count: 2, spawn: UniformSquare(side_m: 2.0), body: Disc(radius_m: 0.1),
            motion: Holonomic(max_speed_m_per_s: 0.5), sensors: [LaserScanner(window_deg: 90.0, resolution_deg: 90.0, range_m: 1.0)],
        ),
        (
            name: "fast", count: 1, spawn: UniformSquare(side_m: 2.0), body: Disc(radius_m: 0.1),
            motion: Holonomic(max_speed_m_per_s: 1.5), sensors: [LaserScanner(window_deg: 90.0, resolution_deg: 90.0, range_m: 2.0)],
        ),
        (name: "wheeled", count: 1, body: Disc(radius_m: 0.1), motion: DifferentialDrive(axle_m: 0.2, max_wheel_m_per_s: 0.4)),
        (name: "plain", count: 1, body: Disc(radius_m: 0.1)),
    ],
)"""


def mixed(*groups, **parts):
    return type("Mixed", (Task,), {"source": MIXED, "groups": groups, **parts})()


def test_limits_of_actions_follow_from_the_motion_model_and_the_form():
    for group, form, high in (
        ("slow", None, [0.5, np.pi]),
        ("slow", "velocity", [0.5, 0.5, np.pi]),
        ("slow", "course", [0.5, 0.5, np.pi]),
        ("wheeled", None, [0.4, 4.0]),
        ("wheeled", "wheels", [0.4, 0.4]),
        ("wheeled", "course", [0.4, 0.4, 4.0]),
        ("plain", None, [1.0, 1.0]),
    ):
        low, found = Rollout(mixed(group, form=form), 1).action_limits
        np.testing.assert_allclose(found, high)
        np.testing.assert_array_equal(low, -found)


def test_robots_of_different_groups_have_limits_of_their_own():
    made = mixed("slow", "fast", form="velocity")
    parallel = SwarmParallelEnv(made)
    speeds = [parallel.action_space(agent).high[0] for agent in ("slow_0", "slow_1", "fast_0")]
    ranges = [parallel.observation_space(agent).high[0] for agent in ("slow_0", "slow_1", "fast_0")]
    assert speeds == [0.5, 0.5, 1.5] and ranges == [1.0, 1.0, 2.0]
    env = SwarmEnv(made)
    np.testing.assert_array_equal(env.action_space.high[:, 0], speeds)
    assert env.observation_space.contains(env.reset(seed=1)[0])
    env.step(np.full((3, 3), 9.0))
    commands = env._rollout.world.commands
    assert commands["slow"][0, 0].tolist() == [0.5, 0.5, np.pi] and commands["fast"][0, 0].tolist() == [1.5, 1.5, np.pi]
    # Those of the shipped task are those of predators for all.
    assert SwarmEnv(PredatorPrey()).action_space.high.tolist() == [[1.0, 1.0]] * 4
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*render_modes.*|.*spec.*|.*Box (low|high).*")
        check_env(env)
    parallel_api_test(parallel, num_cycles=20)


def test_groups_with_different_sensors_or_commands_are_refused():
    with pytest.raises(ValueError, match="the task Mixed: the robots of the group 'slow' have 2 readings, and those of 'plain' 0"):
        SwarmEnv(mixed("slow", "plain"))
    with pytest.raises(ValueError, match="the task Mixed: form: the group 'plain': the motion models take commands of the form"):
        SwarmEnv(mixed("slow", "plain", form="velocity"))
    # A task can observe them in its own way.
    def observe(self, world):
        return world.positions

    own = {"observe": observe, "observation_limits": lambda self, batch: (np.full(2, -9.0), np.full(2, 9.0))}
    assert SwarmEnv(mixed("slow", "plain", **own)).reset(seed=1)[0].shape == (3, 2)


def test_a_name_is_one_group():
    assert len(Rollout(task(groups="millers"), 1).agents) == 6
    assert Rollout(task(groups=["millers"]), 1).task.groups == ("millers",)
    with pytest.raises(ValueError, match="the task Own: groups: expected the names of groups, found none"):
        SwarmEnv(task(groups=()))
    with pytest.raises(ValueError, match="groups: expected groups with robots, found 'gatherers', which has none"):
        SwarmEnv(Aggregation(robots=0))


def test_misspelt_names_of_tasks_are_warned_of():
    with pytest.warns(UserWarning) as warned:
        SwarmEnv(task(setting={}, max_action=3, rewards=lambda self, world: 0, helper=3, _setting=1))
    text = [str(one.message) for one in warned]
    names = ("max_action", "max_actions"), ("rewards", "reward"), ("setting", "settings")
    assert text == [f"the task Own has `{name}`, which environments do not use; did you mean `{near}`?" for name, near in names]
    assert warned[0].filename == __file__
    # An attribute beside a method of a similar name is no mistake.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SwarmEnv(task(rewards=[], reward=lambda self, world: np.zeros((1, 6))))


def test_modes_and_columns_are_checked_when_an_environment_is_made():
    for make in (SwarmEnv, SwarmParallelEnv):
        with pytest.raises(ValueError, match="render_mode: expected 'rgb_array' or None, found 'human'"):
            make(Short(), render_mode="human")
    with pytest.raises(ValueError, match="no metric 'circlines': its columns are circliness, .* did you mean `circliness`"):
        SwarmEnv(SceneTask("milling", "millers", "circlines"))
    with pytest.raises(ValueError, match="task: expected one of .*, found 'Formatio'; did you mean `Formation`"):
        swarmarium_envs.registration.make("Formatio")


def test_packages_that_are_missing_are_named(monkeypatch):
    for name, module, package, extra in (
        ("SwarmEnv", "single", "gymnasium", "gymnasium"),
        ("SwarmVectorEnv", "vector", "gymnasium", "gymnasium"),
        ("SwarmParallelEnv", "parallel", "pettingzoo", "pettingzoo"),
    ):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, package, None)
            patch.delitem(sys.modules, f"swarmarium.envs.{module}")
            with pytest.raises(ModuleNotFoundError, match=rf'{name} needs {package}: pip install "swarmarium\[{extra}\]"'):
                getattr(swarmarium_envs, name)
    with pytest.raises(AttributeError, match="has no attribute 'SwarmEnvs'; did you mean `SwarmEnv`"):
        swarmarium_envs.SwarmEnvs  # noqa: B018


def test_an_episode_is_a_run_that_opens(tmp_path):
    env = SwarmEnv(TASKS["Formation"](), log=True)
    env.reset(seed=3)
    for _ in range(10):
        env.step(env.action_space.sample())
    expected = env._rollout.batch.hashes()[0]
    assert env.save(str(tmp_path / "run")).step(40).hash() == expected


def test_rewards_tell_good_actions_from_bad_ones():
    formation = Rollout(TASKS["Formation"](), 8)
    formation.reset(np.ones(8, dtype=bool), list(range(8)))
    task = formation.task

    def total(sign):
        formation.reset(np.ones(8, dtype=bool), list(range(8)))
        earned = 0.0
        for _ in range(40):
            away = task.landmarks_m() - formation.world.positions
            earned += formation.step(sign * away).rewards.mean()
        return earned

    assert total(1.0) > total(0.0) > total(-1.0)


def test_gymnasium_makes_environments_by_their_ids():
    import gymnasium

    env = gymnasium.make("Swarmarium/Aggregation-v0", robots=4)
    assert env.observation_space.shape == (4, 1)
    first, _ = env.reset(seed=5)
    second, _ = SwarmEnv(Aggregation(robots=4)).reset(seed=5)
    np.testing.assert_array_equal(first, second)
    settings = {"scene": "milling", "groups": "millers", "reward": "circliness", "max_actions": 3}
    env = gymnasium.make("Swarmarium/Scene-v0", **settings, steps_per_action=10)
    env.reset(seed=1)
    steps = [env.step(env.action_space.sample()) for _ in range(3)]
    assert [truncated for *_, truncated, _ in steps] == [False, False, True]
    assert all(0.0 <= reward <= 1.0 for _, reward, *_ in steps) and steps[-1][1] > 0.0
    envs = gymnasium.make_vec("Swarmarium/PredatorPrey-v0", num_envs=3, predators=2)
    assert envs.reset(seed=1)[0].shape[:2] == (3, 3)
    with pytest.raises(ValueError, match="the scene has no metric 'circlines': its columns are circliness"):
        gymnasium.make("Swarmarium/Scene-v0", **{**settings, "reward": "circlines"})


def test_an_id_with_the_module_needs_no_import():
    code = 'import gymnasium\nprint(gymnasium.make("swarmarium:Swarmarium/Formation-v0").action_space.shape)'
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "(3, 2)\n", done.stderr
