import { use } from 'react'
import { ProjectRoot } from './editor-link.tsx'
import { useStoredState } from './stored-value.ts'

/** The steps of the checklist that were done in a project, by their names; the browser keeps them. */
export function useDoneSteps(root: string): [readonly string[], (next: readonly string[]) => void] {
  return useStoredState<readonly string[]>(`checklist:${root}`, [])
}

/** Ticks off a step that leaves no run. */
export function useTickOff(step: string): () => void {
  const [done, setDone] = useDoneSteps(use(ProjectRoot))
  return () => {
    if (!done.includes(step)) setDone([...done, step])
  }
}
