import { useState, type ReactNode } from 'react'
import type { ApiError } from '@sdk/protocol'
import { ChunkList } from './chunk-list.tsx'
import { ChunkStrip } from './chunk-strip.tsx'
import { CodeBlock } from './code-block.tsx'
import { isBuffered, sizeOf, toDuration, toSize } from './recording.ts'
import { snippetsOf } from './snippets.ts'
import type { AgentRun } from './use-agent.ts'

const TABS = ['Stream', 'Output', 'Code'] as const

/** What came back, in three views. */
export function Result({ agent, input, route }: { agent: AgentRun; input: string; route: string }): ReactNode {
  const [tab, setTab] = useState<(typeof TABS)[number]>('Stream')
  return (
    <section className="result" aria-label="Result">
      <div className="tabs" role="tablist" aria-label="Views of the result">
        {TABS.map((name) => (
          <button key={name} type="button" role="tab" aria-selected={name === tab} onClick={() => setTab(name)}>
            {name}
          </button>
        ))}
        <Facts agent={agent} />
      </div>
      <div className="view" role="tabpanel" aria-label={tab}>
        {agent.error !== null && tab !== 'Code' && <ErrorView error={agent.error} />}
        {tab === 'Stream' && <StreamView agent={agent} />}
        {tab === 'Output' && agent.output !== undefined && <pre>{JSON.stringify(agent.output, null, 2)}</pre>}
        {tab === 'Code' &&
          snippetsOf(route, input).map(({ title, code }) => <CodeBlock key={title} title={title} code={code} />)}
      </div>
    </section>
  )
}

function Facts({ agent: { state, recording, output } }: { agent: AgentRun }): ReactNode {
  if (state === 'idle') return null
  const { chunks, total } = recording
  const bytes = chunks.length > 0 ? chunks.reduce((sum, chunk) => sum + chunk.bytes, 0) : sizeOf(output)
  return (
    <p className="facts" aria-live="polite">
      <span className="pill" data-state={PILL[state]}>
        {state}
      </span>
      {chunks.length > 0 && <span>{chunks.length} chunks</span>}
      {output !== undefined && <span>{toSize(bytes)}</span>}
      {total !== null && <span>{toDuration(total)}</span>}
    </p>
  )
}

const PILL = { running: 'busy', done: 'good', failed: 'bad', cancelled: 'quiet' } as const

function StreamView({ agent: { state, recording, output } }: { agent: AgentRun }): ReactNode {
  if (state === 'idle') return <p className="quiet empty">Press Run, and every chunk shows here as it arrives.</p>
  if (recording.chunks.length === 0) {
    return state === 'done' ? <pre>{JSON.stringify(output, null, 2)}</pre> : null
  }
  return (
    <>
      <ChunkStrip recording={recording} />
      {isBuffered(recording) && (
        <p className="hint">All chunks arrived within a millisecond: something on the way holds them back.</p>
      )}
      <ChunkList chunks={recording.chunks} />
    </>
  )
}

function ErrorView({ error: { code, status, message, details, requestId } }: { error: ApiError }): ReactNode {
  return (
    <section className="problem" role="alert">
      <h2>{message}</h2>
      <p className="path">
        {status > 0 && `${status} `}
        {code}
        {requestId !== undefined && ` · ${requestId}`}
      </p>
      {details.length > 0 && (
        <ul>
          {details.map((detail) => (
            <li key={JSON.stringify(detail)}>
              <code>{detail.pointer ?? detail.name ?? ''}</code> {detail.message}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
