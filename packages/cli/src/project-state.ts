import type { ProjectFacts, EventHub } from '@sdk/workbench'
import { readBranch } from './git-branch.ts'

/** How the code of a project stands: what the workbench shows in its head. */
export interface ProjectState {
  facts(): Pick<ProjectFacts, 'branch' | 'revision' | 'isReloading'>
  /** A load begins, for these changed files; none for the first load. */
  count(files: readonly string[]): void
  /** Tells the workbench when something is about to change, and when it has. */
  follow(load: Promise<unknown>): void
}

/** Counts the loads of a project's code, and tells the workbench of each. */
export function createProjectState(root: string, events: Pick<EventHub, 'tell'>): ProjectState {
  let revision = 1
  let loads = 0
  const add = (count: 1 | -1): void => {
    loads += count
    events.tell('manifest', { revision })
  }
  return {
    facts: () => ({ branch: readBranch(root), revision, isReloading: loads > 0 }),
    count(files) {
      // Now and not at the end: calls that come meanwhile wait, and are answered by the new code.
      if (files.length > 0) revision += 1
    },
    follow(load) {
      add(1)
      const end = (): void => add(-1)
      load.then(end, end)
    },
  }
}
