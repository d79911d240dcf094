import type { Session } from './session';
import type { Viewer } from './view/viewer';

/** What every part of the page is given. */
export interface App {
    session: Session;
    viewer: Viewer;
}
