import { useAPI } from '@sdk/react'
import type { ReactNode } from 'react'
import { ConfirmButton } from '../components/confirm-button.tsx'
import { showToast } from '../components/toast.ts'

/** The label and question of the dialog that confirms the deletion of all runs. */
export const CLEAR_RUNS = {
  label: 'Clear runs',
  question: 'All recorded runs except pinned ones will be deleted.',
} as const

/** Returns a function that deletes the recorded runs and shows a toast. */
export function useClearRuns(): () => void {
  const { invoke } = useAPI('DELETE /_workbench/api/runs')
  return () =>
    void invoke().then(
      ({ deleted }) => showToast(deleted === 1 ? '1 run cleared' : `${deleted} runs cleared`),
      (error: unknown) => showToast(`Cannot clear runs: ${String(error)}`, 'bad'),
    )
}

/** A button that deletes the recorded runs after confirmation. */
export function ClearRuns(): ReactNode {
  const clear = useClearRuns()
  return (
    <div className="setting">
      <span>Recorded runs</span>
      <div>
        <ConfirmButton {...CLEAR_RUNS} onConfirm={clear} />
      </div>
    </div>
  )
}
