import type { App } from '../app';
import { button, count } from '../base/controls';
import { fill, h } from '../base/dom';
import type { CheckReport } from '../reports';
import type { Panel } from '../ui/tabs';

function finding(one: CheckReport['findings'][number]): HTMLElement {
    return h('li', { class: 'finding' },
        h('div', { class: 'line' }, h('span', { class: `badge ${one.severity}` }, one.severity), h('code', {}, one.code), h('span', { class: 'much' }, `${count(one.count)}×`)),
        h('div', {}, one.text), h('div', { class: 'hint' }, one.place), one.rig ? h('div', { class: 'hint' }, `When rigging: ${one.rig}`) : null);
}

function summary({ errors, warnings, notes }: CheckReport): HTMLElement {
    const parts: [number, string, string][] = [[errors, 'error', 'error'], [warnings, 'warning', 'warning'], [notes, 'note', 'note']];
    if (errors + warnings + notes === 0) return h('p', {}, h('span', { class: 'badge good' }, 'clean'), ' Nothing was found.');
    return h('div', { class: 'row' }, ...parts.filter(([n]) => n > 0).map(([n, name, kind]) => h('span', { class: `badge ${kind}` }, `${n} ${name}${n === 1 ? '' : 's'}`)));
}

export function checkPanel(app: App): Panel {
    const { session } = app;
    const result = h('div', { class: 'stack' });
    let checked: unknown = null;
    let visible = false;
    async function check(): Promise<void> {
        const current = session.current;
        if (!current || checked === current) return;
        checked = current;
        const report = await session.attempt('Checking', async () => {
            const done = await session.run(['check', current.file, '--json', '--fail-on', 'never'], new Map([[current.file, current.glb]]));
            return JSON.parse(new TextDecoder().decode(done.output)) as CheckReport;
        });
        if (!report) return;
        fill(result, summary(report), report.findings.length > 0 && h('ul', { class: 'list', style: 'max-height: none' }, ...report.findings.map(finding)));
    }
    const again = button('Check', () => {
        checked = null;
        void check();
    }, { class: 'primary wide', icon: 'check' });
    session.history.current.watch((current) => {
        again.disabled = !current;
        if (checked !== current) fill(result, h('p', { class: 'hint' }, current ? 'Not checked yet.' : 'Open a character to check it.'));
    });
    session.busy.watch((busy) => busy === null && visible && session.notice.value === null && void check());
    return {
        name: 'Check', icon: 'check',
        element: h('div', { class: 'stack' }, h('h2', {}, 'Check'), h('p', { class: 'hint' }, 'Looks for what breaks in engines and viewers: mesh, skin, skeleton, clips.'), again, result),
        shown(on) {
            visible = on;
            if (on) void check();
        },
    };
}
