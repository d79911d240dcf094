import type { App } from '../app';
import { saveDocument } from '../panels/document';
import { directions } from './view_tools';

/** Keys of the page; docs/studio.md lists them. */
export function listenToKeys(app: App, press: (tool: 'Names of joints (N)') => void): void {
    const { session, viewer } = app;
    const { player } = viewer;
    const plain: Record<string, () => void> = {
        ' ': () => player.play(!player.playing),
        ArrowLeft: () => step(-1),
        ArrowRight: () => step(1),
        Home: () => player.seek(0),
        End: () => player.seek(player.duration),
        f: () => viewer.stage.refit(),
        b: () => (viewer.skeleton.value = !viewer.skeleton.value),
        n: () => press('Names of joints (N)'),
        1: () => viewer.stage.refit(directions.front),
        2: () => viewer.stage.refit(directions.side),
        3: () => viewer.stage.refit(directions.top),
        '+': () => viewer.stage.zoom(0.85),
        '-': () => viewer.stage.zoom(1 / 0.85),
        'Shift+ArrowLeft': () => viewer.stage.orbit(-0.15, 0),
        'Shift+ArrowRight': () => viewer.stage.orbit(0.15, 0),
        'Shift+ArrowUp': () => viewer.stage.orbit(0, 0.15),
        'Shift+ArrowDown': () => viewer.stage.orbit(0, -0.15),
        Escape: () => (session.busy.value ? session.cancel() : (session.notice.value = null)),
    };
    const step = (by: number): void => {
        player.play(false);
        player.seekFrame(player.frame + by);
    };
    // Space after a click is for the player, not for the button once more. A button that was reached with Tab keeps the focus.
    addEventListener('click', (event) => event.detail > 0 && (event.target as HTMLElement).closest('button')?.blur());
    addEventListener('keydown', (event) => {
        const target = event.target as HTMLElement;
        const command = event.ctrlKey || event.metaKey;
        const types = target.matches('input:not([type=checkbox]):not([type=range]), select, textarea');
        if (types) return;
        if (command && event.key.toLowerCase() === 'z') {
            event.preventDefault();
            if (session.busy.value) return;
            if (event.shiftKey) void session.redo();
            else void session.undo();
            return;
        }
        if (command && event.key.toLowerCase() === 's') {
            event.preventDefault();
            void saveDocument(app);
            return;
        }
        // A control keeps the keys that it answers to itself.
        const keeps = target.matches('input[type=range]') ? ['ArrowLeft', 'ArrowRight', 'Home', 'End'] : target.matches('[role=tab]') ? ['ArrowLeft', 'ArrowRight'] : [];
        if (target.matches('button, input[type=checkbox]')) keeps.push(' ');
        const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        const act = plain[event.shiftKey && key.startsWith('Arrow') ? `Shift+${key}` : key];
        if (!act || command || event.altKey || keeps.includes(event.key)) return;
        event.preventDefault();
        act();
    });
}
