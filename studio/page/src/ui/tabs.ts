import { iconButton } from '../base/controls';
import { h } from '../base/dom';
import { icon, type IconName } from '../base/icons';
import { Signal } from '../base/signal';

export interface Panel {
    name: string;
    icon: IconName;
    element: HTMLElement;
    /** Called when it comes into view, and when it goes. */
    shown?(on: boolean): void;
}

/** A panel whose code comes when it is looked at first. */
export function later(name: string, icon: IconName, load: () => Promise<Panel>): Panel {
    const element = h('div', { class: 'stack' }, h('h2', {}, name), h('p', { class: 'hint', role: 'status' }, 'Coming …'));
    let panel: Panel | null = null;
    let asked = false;
    let visible = false;
    async function fetch(): Promise<void> {
        asked = true;
        panel = await load().finally(() => (asked = false));
        element.replaceChildren(...panel.element.childNodes);
        if (visible) panel.shown?.(true);
    }
    return {
        name, icon, element,
        shown(on) {
            visible = on;
            if (panel) panel.shown?.(on);
            else if (on && !asked) void fetch().catch(() => {});
        },
    };
}

/** A row of tabs, of which arrow keys go from one to the next, and the panel of the chosen one. */
export function tabs(panels: Panel[]): { bar: HTMLElement; holder: HTMLElement; show: (name: string) => void; chosen: Signal<string> } {
    const holder = h('section', { class: 'panel', role: 'tabpanel', id: 'panel', tabIndex: 0 });
    const chosen = new Signal(panels[0]!.name);
    let current: Panel | null = null;
    // On a phone the panel lies under the picture, and can make room for it.
    const fold = iconButton('twist', 'Put the tool away', () => setFolded(fold.getAttribute('aria-expanded') === 'true'), 'fold');
    fold.setAttribute('aria-controls', 'panel');
    function setFolded(on: boolean): void {
        document.documentElement.classList.toggle('folded', on);
        fold.setAttribute('aria-expanded', `${!on}`);
    }
    const buttons = panels.map((panel, index) => {
        const button = h('button', { type: 'button', role: 'tab', id: `tab-${panel.name.toLowerCase()}`, 'aria-controls': 'panel', onclick: () => choose(index) }, icon(panel.icon), panel.name);
        button.addEventListener('keydown', (event) => {
            const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
            if (!by) return;
            event.preventDefault();
            const next = (index + by + panels.length) % panels.length;
            choose(next);
            buttons[next]!.focus();
        });
        return button;
    });
    function choose(index: number): void {
        const next = panels[index]!;
        setFolded(false);
        if (next === current) return;
        current?.shown?.(false);
        current = next;
        buttons.forEach((button, k) => {
            button.setAttribute('aria-selected', `${k === index}`);
            button.tabIndex = k === index ? 0 : -1;
        });
        holder.setAttribute('aria-labelledby', buttons[index]!.id);
        holder.replaceChildren(next.element);
        holder.scrollTop = 0;
        next.shown?.(true);
        chosen.value = next.name;
    }
    choose(0);
    return {
        bar: h('div', { class: 'tabs' }, h('div', { class: 'tablist', role: 'tablist', 'aria-label': 'Tool' }, ...buttons), fold),
        holder,
        show: (name) => choose(Math.max(0, panels.findIndex((panel) => panel.name === name))),
        chosen,
    };
}
