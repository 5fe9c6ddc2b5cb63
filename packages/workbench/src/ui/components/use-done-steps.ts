import { use } from 'react'
import { ProjectRoot } from './editor-link.tsx'
import { useStoredState } from './stored-value.ts'

/** Returns the names of the completed checklist steps of a project, stored in the browser. */
export function useDoneSteps(root: string): [readonly string[], (next: readonly string[]) => void] {
  return useStoredState<readonly string[]>(`checklist:${root}`, [])
}

/** Returns a function that completes a step that has no run. */
export function useTickOff(step: string): () => void {
  const [done, setDone] = useDoneSteps(use(ProjectRoot))
  return () => {
    if (!done.includes(step)) setDone([...done, step])
  }
}
