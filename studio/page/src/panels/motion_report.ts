import { count, facts } from '../base/controls';
import { h } from '../base/dom';
import type { MotionReport } from '../reports';

/** How a motion came onto the character: how many joints follow, and what feet did before and do now. */
export function motionReport(report: MotionReport): HTMLElement {
    const slide = (side: MotionReport['before']): string => (side ? `${(100 * side.slide_m_s).toFixed(1)} cm/s` : '–');
    const { motion } = report;
    const slots = Object.entries(report.slots ?? {}).filter(([, { character, motion }]) => character?.joint && motion?.joint);
    return h('section', {}, h('h3', {}, 'How it came over'),
        facts([
            ['Motion', motion ? (motion.frames === undefined ? `${motion.duration_s.toFixed(2)} s` : `${count(motion.frames)} frames, ${motion.rate_hz!.toFixed(0)} Hz`) : null],
            ['Joints matched', motion?.joints !== undefined && slots.length ? `${slots.length} of ${motion.joints}` : null],
            ['Confidence', motion?.confidence !== undefined && report.way !== 'chains' ? `${Math.round(100 * motion.confidence)} %` : null],
            ['Feet slid', report.before ? slide(report.before) : null],
            ['Feet slide now', report.after ? slide(report.after) : null],
            ['Lowest skin', report.ground ? `${(100 * report.ground.least_m).toFixed(1)} to ${(100 * report.ground.most_m).toFixed(1)} cm over the ground` : null],
            ['Gait', report.gait ?? null],
            ['Speed', report.speed_m_s === undefined ? null : `${report.speed_m_s.toFixed(2)} m/s`],
            ['Stride', report.stride_m === undefined ? null : `${report.stride_m.toFixed(2)} m`],
        ]));
}
