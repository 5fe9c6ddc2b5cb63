import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Run, RunText } from '../../../run.ts'
import { links } from '../../links.ts'
import { toChunks, toDuration, toSize } from '../../components/format.ts'
import { JsonView } from '../../components/json-view.tsx'
import { RouteName, shortName } from '../../components/route-name.tsx'
import { LogLines } from './logs-view.tsx'
import { ErrorStack } from '../error/error-stack.tsx'
import type { TraceRow } from './trace.ts'

/** The input, output, error and logs of a span. */
export function SpanInspector({ run, row }: { run: Run; row: TraceRow }): ReactNode {
  const { span, name, startedAt, endedAt, isOver, logs } = row
  const isAgent = name.startsWith('POST /agent/')
  const error = span === null ? run.thrown : span.error
  return (
    <section className="span-inspector" aria-label="The selected span">
      <header>
        <h2>
          <RouteName route={name} />
        </h2>
        {isAgent && (
          <Link className="button small" href={replayLink(run, row)}>
            Run {shortName(name)} with this input
          </Link>
        )}
      </header>
      <p className="quiet num">
        +{toDuration(startedAt)} · {isOver ? toDuration(endedAt - startedAt) : 'not over when the run was'}
        {span !== null && span.chunks > 0 && ` · ${toChunks(span.chunks)}`}
      </p>
      {error !== null && (
        <div className="span-error">
          <p className="fault">
            {error.name}: {error.message}
          </p>
          <ErrorStack error={error} />
        </div>
      )}
      <Body title="Input" text={span === null ? run.request.body : span.input} />
      {span !== null && <Body title="Output" text={span.output} />}
      {logs.length > 0 && (
        <>
          <h3>Logs</h3>
          <LogLines logs={logs} />
        </>
      )}
    </section>
  )
}

function replayLink(run: Run, { id, name }: TraceRow): string {
  return `${links.agent(shortName(name), run.id)}${id === 0 ? '' : `&span=${id}`}`
}

function Body({ title, text }: { title: string; text: RunText | null }): ReactNode {
  if (text === null) return null
  const value = parseBody(text)
  return (
    <>
      <h3>
        {title} <span className="count">{toSize(text.bytes)}</span>
      </h3>
      {value === undefined ? <pre tabIndex={0}>{text.text}</pre> : <JsonView label={title} value={value} />}
      {text.isCut && <p className="notice">Cut here: the record keeps a part of it.</p>}
    </>
  )
}

/** JSON, or a value a line; undefined where it is neither. */
function parseBody({ text, isCut }: RunText): unknown {
  if (isCut) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return parseJsonLines(text)
  }
}

function parseJsonLines(text: string): unknown {
  try {
    return text
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
  } catch {
    return undefined // it is shown as text
  }
}
