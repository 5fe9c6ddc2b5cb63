import { RUN_THREAD_HEADER } from '@sdk/protocol'
import RotateCw from 'lucide-react/icons/rotate-cw'
import { useState, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import type { RunInspection } from '../../api.ts'
import { showToast } from '../components/toast.ts'
import { links } from '../links.ts'
import { sendAsOwner } from './as-owner.ts'

/** Buttons that start a run again with the same input, or cancel it. */
export function DurableActions({ found, onChanged }: { found: RunInspection; onChanged: () => void }): ReactNode {
  const { run, input } = found
  const [, go] = useLocation()
  const [isBusy, setBusy] = useState(false)
  const isWhole = input === null || input.text.length === input.size

  async function attempt(name: string, work: () => Promise<void>): Promise<void> {
    setBusy(true)
    try {
      await work()
    } catch (error) {
      showToast(`Cannot ${name}: ${error instanceof Error ? error.message : String(error)}`, 'bad')
    } finally {
      setBusy(false)
    }
  }

  const startAgain = async (): Promise<void> => {
    const thread = run.thread === null ? {} : { [RUN_THREAD_HEADER]: run.thread }
    const response = await sendAsOwner(run, `POST /agent/${run.agent}`, {
      ...(input !== null && { body: input.text }),
      headers: { prefer: 'respond-async', ...thread },
    })
    const { id } = (await response.json()) as { id: string }
    go(links.durableRun(id))
  }

  const cancel = async (): Promise<void> => {
    await sendAsOwner(run, `DELETE /agent/${run.agent}/runs/${run.id}`)
    onChanged()
  }

  return (
    <>
      {!run.isGone && (
        <button
          type="button"
          className="button primary"
          disabled={isBusy || !isWhole}
          title={isWhole ? 'Start a run with the same input' : 'The input is too large to be sent again'}
          onClick={() => void attempt('run again', startAgain)}
        >
          <RotateCw size={13} aria-hidden />
          Run again
        </button>
      )}
      {run.endedAt === null && (
        <button
          type="button"
          className="button danger"
          disabled={isBusy}
          onClick={() => void attempt('cancel', cancel)}
        >
          Cancel run
        </button>
      )}
    </>
  )
}
