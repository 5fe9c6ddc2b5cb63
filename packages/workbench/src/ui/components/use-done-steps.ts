import { use } from 'react'
import { ProjectRoot } from './editor-link.tsx'
import { useStoredState } from './stored-value.ts'

/** Returns the names of a project's completed checklist steps, which are stored in the browser, and a setter. */
export function useDoneSteps(root: string): [readonly string[], (next: readonly string[]) => void] {
  return useStoredState<readonly string[]>(`checklist:${root}`, [])
}

/** Returns a function that marks a step as completed, for steps that no run can complete. */
export function useTickOff(step: string): () => void {
  const [done, setDone] = useDoneSteps(use(ProjectRoot))
  return () => {
    if (!done.includes(step)) setDone([...done, step])
  }
}
