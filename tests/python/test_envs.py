"""Environments for reinforcement learning, with the checkers of their own interfaces."""

import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from pettingzoo.test import parallel_api_test, parallel_seed_test
from swarmarium.envs import TASKS, Aggregation, Rollout, SwarmEnv, SwarmParallelEnv, SwarmVectorEnv, Task

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
        gymnasium.make("Swarmarium/Scene-v0", **{**settings, "reward": "circlines"}).reset(seed=1)[0]
        env = gymnasium.make("Swarmarium/Scene-v0", **{**settings, "reward": "circlines"})
        env.reset(seed=1)
        env.step(env.action_space.sample())


def test_an_id_with_the_module_needs_no_import():
    code = 'import gymnasium\nprint(gymnasium.make("swarmarium:Swarmarium/Formation-v0").action_space.shape)'
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "(3, 2)\n", done.stderr
