import type { App } from '../app';

// State in the address: #file=NAME, #sample=KIND:SEED, and where the player stands: clip, time.
type State = Record<string, string>;

function read(): State {
    return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

/** What the address says is opened first; where the player stands is written back into it. */
export async function followAddress({ session, viewer }: App): Promise<void> {
    const state = read();
    if (state.file) await openServed(session, state.file);
    else if (state.sample) {
        const [kind = 'humanoid', seed = '1'] = state.sample.split(':');
        await session.sample(kind, Number(seed) || 1, kind === 'humanoid' ? ['--pose', 't'] : []);
    }
    const clip = viewer.character.value?.clips.find((one) => one.name === state.clip);
    if (clip) {
        viewer.player.select(clip);
        viewer.player.seek(Number(state.time) || 0);
    }
    viewer.player.changed.watch(() => {
        if (viewer.player.playing || !session.current) return;
        const now = read();
        delete now.clip;
        delete now.time;
        if (viewer.player.clip) Object.assign(now, { clip: viewer.player.clip.name, time: viewer.player.time.toFixed(3) });
        history.replaceState(null, '', `#${new URLSearchParams(now)}`);
    });
}

// `limber studio FILE` serves the file, and those beside it that it names, under /file/.
async function openServed(session: App['session'], name: string): Promise<void> {
    const answer = await fetch(`file/${encodeURIComponent(name)}`).catch(() => null);
    if (!answer?.ok) {
        session.notice.value = { kind: 'error', title: `Opening ${name} failed`, text: `file/${name}: ${answer ? `${answer.status} ${answer.statusText}` : 'no answer'}` };
        return;
    }
    await session.open(new Map([[name, new Uint8Array(await answer.arrayBuffer())]]));
}
