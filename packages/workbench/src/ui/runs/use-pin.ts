import { useSdk } from '@sdk/react'
import type { RunSummary } from '../../run.ts'
import { showToast } from '../components/toast.ts'

const PIN_ROUTE = 'POST /_workbench/api/runs/:id/pin'

/** Pins or unpins a run, and passes its new state to `onPinned`. */
export function usePin(onPinned: (run: RunSummary) => void): (run: RunSummary) => void {
  const { client } = useSdk()
  return ({ id, isPinned }) => {
    const pinned = client.call(PIN_ROUTE, { isPinned: !isPinned }, { params: { id } })
    void pinned.then(onPinned, (error: unknown) => showToast(`Cannot pin: ${String(error)}`, 'bad'))
  }
}
