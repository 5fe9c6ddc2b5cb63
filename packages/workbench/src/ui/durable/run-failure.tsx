import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { RunInspection } from '../../api.ts'
import { parseJson } from '../components/parse-json.ts'
import { useRun, useRuns } from '../data/use-runs.ts'
import { links } from '../links.ts'
import { ErrorMessage } from '../run/error/error-message.tsx'
import { ErrorStack } from '../run/error/error-stack.tsx'

/** The error of a failed run. If the run was recorded, the error that its handler threw, with its stack and its causes. */
export function RunFailure({ found: { run, error } }: { found: RunInspection }): ReactNode {
  if (error === null) return null
  const { code = '', message = error.text } = (parseJson(error.text) ?? {}) as { code?: string; message?: string }
  return <Failure id={run.id} code={code} message={message} />
}

function Failure({ id, code, message }: { id: string; code: string; message: string }): ReactNode {
  const list = useRuns({ durableRun: id, limit: MAX_RECORDED })
  // A run that was paused or interrupted can have several recordings.
  const recorded = list?.runs.find((one) => one.error !== null)
  const { run } = useRun(recorded?.id ?? null)
  const thrown = run?.thrown ?? null
  return (
    <section className="problem" aria-label="Error">
      <ErrorMessage message={thrown?.message ?? message} />
      <p>
        <code>{thrown === null || thrown.code === code ? code : `${thrown.name} · ${code}`}</code>
      </p>
      {thrown !== null && <ErrorStack error={thrown} />}
      {recorded !== undefined && (
        <p>
          <Link className="link small" href={links.run(recorded.id)}>
            Recorded run
          </Link>
        </p>
      )}
    </section>
  )
}

const MAX_RECORDED = 20
