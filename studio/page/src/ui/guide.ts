import type { App } from '../app';
import { button, iconButton } from '../base/controls';
import { fill, h } from '../base/dom';
import type { Signal } from '../base/signal';
import { bodyKinds, motionBodies } from '../engine/live_module';
import type { Hand } from '../hand';
import { isDoubtful, type RigReport } from '../reports';

interface Step {
    /** The tool that it is done with. */
    tool: string;
    name: string;
    hint: string;
}

const steps: Step[] = [
    { tool: 'Rig', name: 'Correct', hint: 'Is a joint in the wrong place? Drag it. If not, go on.' },
    { tool: 'Animate', name: 'Animate', hint: 'Point at a motion to see it on your character; a click keeps it.' },
    { tool: 'Pose', name: 'Pose', hint: 'Drag a hand, a foot or the hips, and keep the pose as a clip.' },
    { tool: 'Export', name: 'Export', hint: 'GLB opens in engines, Blender and viewers.' },
];

// What those do who do not walk, by the body that made motions are for.
const firstMotions: Record<string, string> = { bird: 'bird-flap', fish: 'fish-swim', snake: 'snake-slither', spider: 'spider-walk', quadruped: 'quadruped-walk', human: 'idle' };

/** What the current body does first; null where nothing that is made fits it. */
async function firstMotion({ session }: App, hand: Hand): Promise<string | null> {
    await hand.open();
    if ((await session.engine.live('body')) & bodyKinds.walks) return 'walk';
    return firstMotions[motionBodies[await session.engine.live('motionBody')] ?? ''] ?? null;
}

/** The way from a mesh to a file that an engine plays: one button, then steps of which each can be passed over. */
export function guide(app: App, hand: Hand, tool: { show: (name: string) => void; chosen: Signal<string> }): HTMLElement {
    const { session, viewer } = app;
    const seen = new Set<string>();
    const hint = h('p', { class: 'hint grow' });
    const live = button('Rig and walk', () => void session.bringToLife(() => firstMotion(app, hand)), { class: 'primary', icon: 'play' });
    const items = steps.map((step, index) => button(step.name, () => tool.show(step.tool), { class: 'bare', title: `Step ${index + 1}: ${step.hint}` }));
    const list = h('ol', {}, ...items.map((item) => h('li', {}, item)));
    const next = button('Next', () => tool.show(steps[at() + 1]!.tool), { class: 'small' });
    const close = iconButton('close', 'Close the steps', () => {
        closed = true;
        refresh();
    });
    let closed = false;
    // Whose joints were looked at.
    let looked: RigReport | null | undefined;
    const element = h('nav', { class: 'guide', 'aria-label': 'From a mesh to a file', hidden: true }, live, list, hint, next, close);
    const at = (): number => steps.findIndex((step) => step.tool === tool.chosen.value);

    function refresh(): void {
        const current = session.current;
        const still = current !== null && current.info.meshes.length > 0 && !current.info.clips?.length;
        element.hidden = closed || !current;
        live.hidden = !still;
        live.disabled = session.busy.value !== null;
        list.hidden = next.hidden = still;
        if (still) {
            fill(live, 'Rig and walk');
            if (session.isRigged) fill(live, 'Walk');
            hint.textContent = session.isRigged ? 'It has joints already: see it move.' : 'Finds a skeleton, binds the skin to it, and has it walk.';
            return;
        }
        const here = at();
        if (here >= 0) seen.add(steps[here]!.tool);
        if (here === 0) looked = current?.rig;
        items.forEach((item, k) => {
            if (k === here) item.setAttribute('aria-current', 'step');
            else item.removeAttribute('aria-current');
            item.classList.toggle('seen', seen.has(steps[k]!.tool) && k !== here);
        });
        next.hidden = here === steps.length - 1;
        const report = current?.corrections.size ? null : current?.rig, doubt = isDoubtful(report);
        items[0]!.classList.toggle('doubt', doubt && report !== looked);
        hint.textContent = doubt && here <= 0 ? `What is this body? A ${report.skeleton}, by ${Math.round(100 * report.confidence)} %. ${here < 0 ? 'Step 1 shows' : 'The pictures show'} what else it may be.`
            : here >= 0 ? steps[here]!.hint : 'It moves. Four steps make it yours; pass over any.';
    }
    session.history.current.watch(refresh);
    session.busy.watch(refresh);
    viewer.character.watch(refresh);
    tool.chosen.watch(refresh);
    return element;
}
