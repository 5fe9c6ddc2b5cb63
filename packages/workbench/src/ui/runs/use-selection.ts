import { useState } from 'react'
import type { RunSummary } from '../../run.ts'
import { useHotkeys } from '../components/use-hotkeys.ts'
import { useSdk } from '@sdk/react'
import { showToast } from '../components/toast.ts'

interface SelectionActions {
  open(run: RunSummary): void
  pin(run: RunSummary): void
}

/** Selects runs with the keys j and k. Enter, p and x apply to the selected run. At most two runs can be marked. */
export function useSelection(runs: readonly RunSummary[], { open, pin }: SelectionActions) {
  const [selected, setSelected] = useState(readHistorySelection)
  const [marked, setMarked] = useState<readonly string[]>([])
  const current = runs.find(({ id }) => id === selected)

  // Stored in the history entry, so that the selection is restored when the user goes back.
  function select(id: string | null): void {
    setSelected(id)
    history.replaceState({ selected: id }, '')
  }

  function move(step: number): void {
    const index = current === undefined ? -1 : runs.indexOf(current)
    const next = runs[Math.min(runs.length - 1, Math.max(0, index + step))]
    if (next !== undefined) select(next.id)
  }

  const mark = (id: string): void =>
    setMarked((now) => (now.includes(id) ? now.filter((one) => one !== id) : [...now, id].slice(-2)))

  const on = (work: (run: RunSummary) => void) => (): void => {
    if (current !== undefined) work(current)
  }
  useHotkeys({ j: () => move(1), k: () => move(-1), Enter: on(open), p: on(pin), x: on(({ id }) => mark(id)) })
  return { selected, marked, mark, select }
}

function readHistorySelection(): string | null {
  const kept: unknown = history.state
  const id = typeof kept === 'object' && kept !== null && 'selected' in kept ? kept.selected : null
  return typeof id === 'string' ? id : null
}

/** Returns a function that pins or unpins a run and passes its new state to `onPinned`. */
export function usePin(onPinned: (run: RunSummary) => void): (run: RunSummary) => void {
  const { client } = useSdk()
  return ({ id, isPinned }) => {
    const pinned = client.call('POST /_workbench/api/runs/:id/pin', { isPinned: !isPinned }, { params: { id } })
    void pinned.then(onPinned, (error: unknown) => showToast(`Cannot pin: ${String(error)}`, 'bad'))
  }
}
