import type { App } from '../app';
import { button, tick } from '../base/controls';
import { h } from '../base/dom';
import type { Hand } from '../hand';
import { Swing } from '../swing';

/** New clips out of the one on show, or of the rest pose: what hangs swings, the body is let go. */
export function physicsSection(app: App, hand: Hand): HTMLElement {
    const { session, viewer } = app;
    const live = new Swing(app, hand);
    const along = tick('Swings while it plays', false, (on) => (live.on.value = on));
    live.on.watch((on) => (along.input.checked = on));
    const swing = button('Let it swing', () => void simulate('swing', ['--springs', ...chain()]), { title: 'Springs of the file, and the chosen joint with all below it (S)' });
    const fall = button('Let it fall', () => void simulate('fall', ['--ragdoll', '--release', `${+viewer.player.time.toFixed(3)}`, '--seconds', `${+(viewer.player.time + 3).toFixed(3)}`]), { title: 'From the moment on show (X)' });
    const element = h('section', {}, h('h3', {}, 'Physics'), h('div', { class: 'row' }, swing, fall), along.element, h('p', { class: 'hint' }, 'Hair, tails and skirts lag behind the clip on show: those that the file names, and the chosen joint.'));

    function chain(): string[] {
        const joint = viewer.character.value?.joints[viewer.selected.value];
        return joint ? ['--chain', joint.name] : [];
    }
    async function simulate(what: string, options: string[]): Promise<void> {
        const clips = viewer.character.value?.clips ?? [];
        const base = clips.findIndex((clip) => clip === viewer.player.clip);
        const name = session.freeName(base < 0 ? what : `${clips[base]!.name} ${what}`);
        const made = await session.edit('Simulating', ['simulate'], [...options, ...(base < 0 ? [] : ['--clip', `${base}`]), '--name', name], { step: name });
        if (!made) return;
        viewer.player.select(viewer.character.value?.clips.find((clip) => clip.name === name) ?? null);
        viewer.player.play(true);
    }
    addEventListener('keydown', (event) => {
        const target = event.target as HTMLElement;
        const control = { s: swing, x: fall }[event.key.toLowerCase()];
        if (!control || !element.offsetParent || event.ctrlKey || event.metaKey || event.altKey || target.matches('input:not([type=checkbox]):not([type=range]), select, textarea')) return;
        control.click();
    });
    viewer.character.watch((character) => (element.hidden = !character?.joints.length));
    return element;
}
