// The parts of the command's JSON that the page reads; docs/command-line.md has the commands.
export type Triple = [number, number, number];

export interface InfoReport {
    format: string;
    bytes: number;
    bounds?: { low: Triple; high: Triple };
    meshes: {
        name: string;
        vertices: number;
        triangles: number;
        components: number;
        closed: boolean;
        uv_sets: number;
        morph_targets: number;
        influences_max: number;
        influences_mean: number;
    }[];
    skeleton?: { roots: number; depth: number; joints: { name: string; parent: number; position: Triple }[] };
    skins?: unknown[];
    clips?: { name: string; duration_s: number; keys_max: number; channels: number }[];
    materials?: number;
    textures?: number;
    body?: { humanoid: boolean; facing?: Triple };
}

/** Where a body at rest looks, as an angle about the vertical from +Z; 0 where that is not known. Feet tell front from back
 * where they have toes: files exchange the names of sides. */
export function facingOf({ body, skeleton }: InfoReport): number {
    if (!body?.facing) return 0;
    const [x, , z] = body.facing;
    const joints = skeleton?.joints ?? [];
    const ahead = joints.reduce((sum, { name, parent, position }) => {
        const ankle = /toe|ball/i.test(name) ? joints[parent] : undefined;
        return ankle ? sum + (position[0] - ankle.position[0]) * x + (position[2] - ankle.position[2]) * z : sum;
    }, 0);
    return ahead < 0 ? Math.atan2(-x, -z) : Math.atan2(x, z);
}

export interface RigReport {
    skeleton: string;
    vertices: number;
    triangles: number;
    height: number;
    confidence: number;
    doubtful: boolean;
    reason: string;
    joints: { name: string; parent: number; position: Triple; confidence: number; reason: string; vertices: number }[];
}

// Below this the command names the next best reading.
const sure = 0.6;

/** Whether the body may be something else than it was taken for. */
export function isDoubtful(report: RigReport | null | undefined): report is RigReport {
    return Boolean(report) && report!.confidence < sure;
}

export type Severity = 'error' | 'warning' | 'note';

export interface CheckReport {
    errors: number;
    warnings: number;
    notes: number;
    findings: { code: string; severity: Severity; place: string; text: string; count: number; rig?: string }[];
}

interface Matched {
    joint: string | null;
    reason: string;
    confidence: number;
}

/** Of `animate`: a motion that was carried over has slots, one that was made for legs has a gait, one that was made for the body's
 * own joints has neither. */
export interface MotionReport {
    motion?: { name: string; joints?: number; frames?: number; rate_hz?: number; duration_s: number; confidence?: number };
    contacts?: number;
    before?: { slide_m_s: number };
    after?: { slide_m_s: number };
    ground?: { least_m: number; most_m: number };
    /** "human", or "chains": then there are no slots. */
    way?: string;
    slots?: Record<string, { character?: Matched | null; motion?: Matched | null }>;
    /** Joints of each chain, from the trunk outwards. */
    chains?: { character: Record<string, string[]>; motion: Record<string, string[]> };
    gait?: string;
    speed_m_s?: number;
    stride_m?: number;
    period_s?: number;
}
