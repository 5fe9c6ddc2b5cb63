import type { ProjectInfo, EventHub } from '@sdk/workbench'
import { readBranch } from './git-branch.ts'

/** The state of a project's code, which the workbench shows in its header. */
export interface ProjectState {
  info(): Pick<ProjectInfo, 'branch' | 'revision' | 'isReloading'>
  /** Increments the revision when a load of changed files starts. `files` is empty for the first load. */
  beginLoad(files: readonly string[]): void
  /** Notifies the workbench when a load starts and when it ends. */
  track(load: Promise<unknown>): void
}

/** Creates the state of a project, which counts its loads and notifies the workbench of each load. */
export function createProjectState(root: string, events: Pick<EventHub, 'emit'>): ProjectState {
  let revision = 1
  let loads = 0
  let isLoaded = false
  const add = (count: 1 | -1): void => {
    loads += count
    events.emit('manifest', { revision })
  }
  return {
    info: () => ({ branch: readBranch(root), revision, isReloading: loads > 0 || !isLoaded }),
    beginLoad(files) {
      // The revision changes when a load starts, since calls during the load wait for it and run the new code.
      if (files.length > 0) revision += 1
    },
    track(load) {
      add(1)
      const end = (): void => {
        isLoaded = true
        add(-1)
      }
      load.then(end, end)
    },
  }
}
