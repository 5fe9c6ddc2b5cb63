import { useSdk } from '@sdk/react'
import type { RunSummary } from '../../run.ts'
import { say } from '../parts/toast.ts'

const PIN = 'POST /_workbench/api/runs/:id/pin'

/** Pins or unpins a run, and passes its new state to `onPinned`. */
export function usePin(onPinned: (run: RunSummary) => void): (run: RunSummary) => void {
  const { client } = useSdk()
  return ({ id, isPinned }) => {
    const pinned = client.call(PIN, { isPinned: !isPinned }, { params: { id } })
    void pinned.then(onPinned, (error: unknown) => say(`Cannot pin: ${String(error)}`, 'bad'))
  }
}
