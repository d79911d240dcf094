import type { App } from '../app';
import { button, iconButton } from '../base/controls';
import { fill, h } from '../base/dom';
import type { IconName } from '../base/icons';
import type { PlayPhase } from '../engine/live_module';
import type { Tryout } from '../tryout';

const said: Record<PlayPhase, string> = { moves: 'Arrows steer, Shift runs', falls: 'Limp', lies: 'Lies there', rises: 'Gets up' };

/** Buttons over the picture while the character is steered; keys do the same. */
export function tryBar({ session, viewer }: App, tryout: Tryout): HTMLElement {
    const hold = (name: IconName, label: string, act: (on: boolean) => void): HTMLButtonElement => {
        const control = iconButton(name, label, () => {}, 'square big');
        const set = (on: boolean): void => {
            control.setAttribute('aria-pressed', `${on}`);
            act(on);
        };
        control.setAttribute('aria-pressed', 'false');
        control.addEventListener('pointerdown', (event) => {
            control.setPointerCapture(event.pointerId);
            set(true);
        });
        for (const end of ['pointerup', 'pointercancel'] as const) control.addEventListener(end, () => set(false));
        // From the keyboard it is a switch.
        control.addEventListener('click', (event) => event.detail === 0 && set(control.getAttribute('aria-pressed') !== 'true'));
        return control;
    };
    const pace = h('input', { type: 'range', min: '0', max: '2', step: '0.05', value: '1', 'aria-label': 'Pace, from standing over walking to running' });
    pace.addEventListener('input', () => (tryout.pace.value = Number(pace.value)));
    const jump = button('Jump', () => tryout.jump());
    const fall = button('Let it fall', () => tryout.fall());
    const state = h('p', { class: 'hint', role: 'status' });
    const ahead = hold('ahead', 'Go ahead (↑)', (on) => (tryout.going = on));
    const element = h('section', { class: 'trybar', hidden: true, 'aria-label': 'Steer the character' },
        h('div', { class: 'row' }, hold('left', 'Turn left (←)', (on) => (tryout.turning = on ? 1 : 0)), ahead, hold('right', 'Turn right (→)', (on) => (tryout.turning = on ? -1 : 0))),
        h('div', { class: 'pace' }, h('span', {}, 'Stand'), h('span', {}, 'Walk'), h('span', {}, 'Run'), pace),
        h('div', { class: 'row' }, jump, fall, button('Leave', () => tryout.leave(), { class: 'primary' })), state);
    tryout.pace.watch((value) => {
        pace.value = `${value}`;
        pace.setAttribute('aria-valuetext', value < 0.3 ? 'stands' : value < 1.3 ? 'walks' : 'runs');
        pace.style.setProperty('--at', `${50 * value}%`);
    });
    tryout.jumps.watch((on) => (jump.hidden = !on));
    tryout.phase.watch((phase) => {
        element.hidden = phase === null;
        document.documentElement.classList.toggle('steering', phase !== null);
        if (!phase) return;
        state.textContent = said[phase];
        fill(fall, phase === 'falls' || phase === 'lies' ? 'Get up' : 'Let it fall');
        fall.disabled = phase === 'rises';
        jump.disabled = phase !== 'moves';
    });
    // Feet are what is looked at.
    new ResizeObserver(() => {
        const { offsetHeight, offsetTop, parentElement } = element;
        viewer.stage.keepFree({ bottom: offsetHeight && parentElement!.clientHeight - offsetTop - state.offsetTop });
    }).observe(element);
    steerByKeys(tryout, () => session.busy.value !== null);
    return element;
}

/** While somebody is steered, keys are for that alone. */
function steerByKeys(tryout: Tryout, busy: () => boolean): void {
    const held = new Set<string>();
    const steer = (): void => {
        tryout.going = held.has('ArrowUp') || held.has('w');
        tryout.turning = Number(held.has('ArrowLeft') || held.has('a')) - Number(held.has('ArrowRight') || held.has('d'));
    };
    const once: Record<string, () => void> = { ' ': () => tryout.jump(), x: () => tryout.fall(), Escape: () => tryout.leave() };
    const nameOf = (event: KeyboardEvent): string => (event.key.length === 1 ? event.key.toLowerCase() : event.key);
    let before = 1;
    addEventListener('keydown', (event) => {
        const target = event.target as HTMLElement;
        const key = nameOf(event);
        if (!tryout.active || busy() || event.ctrlKey || event.metaKey || event.altKey || target.matches('select, input:not([type=range])')) return;
        // Controls keep what they answer to themselves.
        if (target.matches('input[type=range]') && key.startsWith('Arrow')) return;
        if (target.matches('button') && key === ' ') return;
        const steers = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'w', 'a', 'd', 'Shift'].includes(key);
        if (!steers && !once[key]) return;
        event.preventDefault();
        event.stopImmediatePropagation();
        if (event.repeat) return;
        held.add(key);
        if (key === 'Shift') [before, tryout.pace.value] = [tryout.pace.value, 2];
        once[key]?.();
        steer();
    }, { capture: true });
    addEventListener('keyup', (event) => {
        const key = nameOf(event);
        if (!held.delete(key)) return;
        if (key === 'Shift') tryout.pace.value = before;
        steer();
    }, { capture: true });
    addEventListener('blur', () => {
        held.clear();
        steer();
    });
}
