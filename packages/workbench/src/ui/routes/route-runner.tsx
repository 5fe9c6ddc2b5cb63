import { useMemo, useState, type ReactNode } from 'react'
import { Link, useSearchParams } from 'wouter'
import { useRun, useRunOf } from '../data/use-runs.ts'
import { EMPTY_INPUT, type CallInput } from '../input/call-input.ts'
import { links } from '../links.ts'
import { Keys } from '../components/keys.tsx'
import { RouteName } from '../components/route-name.tsx'
import { SplitPane } from '../components/split-pane.tsx'
import { useHotkeys } from '../components/use-hotkeys.ts'
import { RunView } from '../run/run-view.tsx'
import { useInitialInput } from '../runner/use-runner.ts'
import { useRunnerCall, type RunnerCall } from '../runner/runner-call.ts'
import { Prose } from './parameter-fields.tsx'
import { readOperationInfo, type OperationInfo } from './operation-info.ts'
import { RequestFields } from './request-fields.tsx'
import type { RouteEntry } from './route-groups.ts'
import { Pill, type Tone } from '../components/pill.tsx'
import type { RunHeaders } from '../../run.ts'
import { withFilter } from '../runs/filter-address.ts'

/** Calls a route with parameters and a body, and shows the response. */
export function RouteRunner({ entry }: { entry: RouteEntry }): ReactNode {
  const { route, description } = entry
  const info = useMemo(() => readOperationInfo(entry), [entry])
  const call = useRunnerCall(route)
  const run = useRunOf(call.requestId)
  const [input, setInput] = useState<CallInput>(EMPTY_INPUT)
  const { run: named } = useRun(useSearchParams()[0].get('run'))
  useInitialInput(named?.route === route ? named : undefined, null, setInput)
  const missing = missingOf(info, input)
  const send = (next: CallInput = input): void => {
    if (missing.length === 0 && !call.isRunning) call.send(next)
  }
  useHotkeys({ 'mod+Enter': () => send(), Escape: () => call.isRunning && call.cancel() })

  function goTo(cursor: string): void {
    const next = { ...input, query: { ...input.query, cursor } }
    setInput(next)
    send(next)
  }

  return (
    <div className="route-bench">
      <header>
        <Link className="link small route-back" href={links.routes}>
          All routes
        </Link>
        <div className="route-bar">
          <h1>
            <RouteName route={route} />
          </h1>
          <SendButton call={call} missing={missing} onSend={() => send()} isRisky={entry.method === 'DELETE'} />
        </div>
        {description !== undefined && (
          <p className="quiet">
            <Prose text={description} />
          </p>
        )}
        <RouteSummary route={route} info={info} headers={call.recording.headers} />
      </header>
      <SplitPane
        name="route"
        label="Request and response"
        first={
          <div className="request-pane">
            <RequestFields route={route} info={info} value={input} onChange={setInput} error={call.error} />
            <ResponseList responses={info.responses} />
          </div>
        }
        second={
          <div className="fill">
            <PageButtons output={call.output} onGo={goTo} />
            <RunView call={call} run={run} route={route} input={input} />
          </div>
        }
      />
    </div>
  )
}

interface SendButtonProps {
  readonly call: RunnerCall
  readonly missing: readonly string[]
  readonly onSend: () => void
  readonly isRisky: boolean
}

function SendButton({ call, missing, onSend, isRisky }: SendButtonProps): ReactNode {
  if (call.isRunning)
    return (
      <button type="button" className="button" onClick={call.cancel}>
        Cancel <Keys of="Escape" />
      </button>
    )
  return (
    <>
      {missing.length > 0 && <span className="hint">needs {missing.join(', ')}</span>}
      <button
        type="button"
        className={isRisky ? 'button primary danger' : 'button primary'}
        disabled={missing.length > 0}
        onClick={onSend}
      >
        Send <Keys of="mod+Enter" />
      </button>
    </>
  )
}

function missingOf({ path, query }: OperationInfo, input: CallInput): string[] {
  const needed = query.filter(({ required, name }) => required === true && !input.query[name])
  const names = [...path.filter(({ name }) => !input.params[name]), ...needed].map(({ name }) => name)
  return names.map((name) => (name === '*' ? 'the rest of the path' : name))
}

function PageButtons({ output, onGo }: { output: unknown; onGo: (cursor: string) => void }): ReactNode {
  const { nextCursor, prevCursor, total } = paginationOf(output)
  if (!nextCursor && !prevCursor) return null
  return (
    <div className="route-pages">
      {total !== undefined && <span className="quiet small">{total} total</span>}
      <button type="button" className="button small" disabled={!prevCursor} onClick={() => onGo(prevCursor ?? '')}>
        Previous page
      </button>
      <button type="button" className="button small" disabled={!nextCursor} onClick={() => onGo(nextCursor ?? '')}>
        Next page
      </button>
    </div>
  )
}

function paginationOf(output: unknown): { nextCursor?: string | null; prevCursor?: string | null; total?: number } {
  const { pagination } = Object(output) as { pagination?: unknown }
  return Object(pagination) as ReturnType<typeof paginationOf>
}

function ResponseList({ responses }: Pick<OperationInfo, 'responses'>): ReactNode {
  if (responses.length === 0) return null
  return (
    <details className="responses">
      <summary>
        Responses <span className="count">{responses.length}</span>
      </summary>
      {responses.map(({ status, description, schema }) => (
        <details key={status} className="response">
          <summary>
            <Pill tone={statusTone(status)}>{status}</Pill> {description}
          </summary>
          {schema === null ? (
            <p className="quiet small">No body, or a body without a schema.</p>
          ) : (
            <pre tabIndex={0}>{JSON.stringify(schema, null, 2)}</pre>
          )}
        </details>
      ))}
    </details>
  )
}

function statusTone(status: string): Tone {
  if (status.startsWith('2')) return 'good'
  return status.startsWith('4') ? 'warn' : status.startsWith('5') ? 'bad' : 'quiet'
}

interface RouteSummaryProps {
  readonly route: string
  readonly info: OperationInfo
  readonly headers: RunHeaders
}

/** Information about a route on one line: authentication, rate limit, and whether it is deprecated. */
function RouteSummary({ route, info, headers }: RouteSummaryProps): ReactNode {
  const policy = headers.find(([name]) => name === 'ratelimit-policy')?.[1]
  return (
    <p className="route-info small quiet">
      {info.isDeprecated && <Pill tone="warn">deprecated</Pill>}
      {info.auth !== null && <span>{AUTH_LABELS[info.auth]}</span>}
      {info.isLimited && (
        <span>
          rate limit: {policy === undefined ? 'shown after the first response' : <span className="mono">{policy}</span>}
        </span>
      )}
      <Link className="link" href={withFilter(links.runs, { route })}>
        runs
      </Link>
      {!info.isDocumented && <span>undocumented: path, query and body are not validated</span>}
    </p>
  )
}

const AUTH_LABELS = {
  required: 'auth: a token or a session cookie is required',
  optional: 'auth: a token or a session cookie is optional',
} as const
