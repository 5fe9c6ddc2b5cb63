import { useState, type ReactNode } from 'react'
import type { Run, RunHeaders } from '../../run.ts'
import type { CallInput } from '../input/call-input.ts'
import { Empty } from '../components/empty.tsx'
import { toDuration, toSize } from '../components/format.ts'
import { RunPill } from '../components/pill.tsx'
import { Tabs, type Tab } from '../components/tabs.tsx'
import type { RunnerCall } from '../runner/runner-call.ts'
import { SnippetsView } from './code/code-view.tsx'
import { ErrorView } from './error/error-view.tsx'
import { toRunFailure } from './error/failure.ts'
import { LogsView } from './trace/logs-view.tsx'
import { OutputView } from './stream/output-view.tsx'
import { recordingSize, type StreamRecording } from './stream/recording.ts'
import { StreamView } from './stream/stream-view.tsx'
import { toSubject, type Subject } from './subject.ts'
import { TraceView } from './trace/trace-view.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import './run.css'

interface RunViewProps {
  /** The call that this page made, or null if a recorded run is shown. */
  readonly call: RunnerCall | null
  /** The recorded run, or undefined if the run has not been recorded yet. */
  readonly run: Run | undefined
  readonly route: string
  readonly input: CallInput
}

type RunTab = 'Error' | 'Output' | 'Stream' | 'Trace' | 'Logs' | 'Headers' | 'Code'

/** The views of a run: Output, Stream, Trace, Logs, Headers, Code, and Error if it failed. */
export function RunView({ call, run, route, input }: RunViewProps): ReactNode {
  const [choice, setChoice] = useState<{ view: RunTab; key: string }>({ view: 'Output', key: '' })
  const subject = toSubject(call, run)
  const failure = toRunFailure({ subject, run, call, route, input })
  // A new failure opens the Error view, unless the user has opened a view other than Output.
  const isNews = failure !== null && choice.view === 'Output' && choice.key !== subject.key
  const known = run?.requestId === subject.key ? run : undefined
  const { recording } = subject
  const tabs: Tab<RunTab>[] = [
    {
      name: 'Output',
      view: (
        <OutputView
          recording={subject.fullest}
          known={subject.output}
          route={route}
          isCancelled={subject.state === 'cancelled'}
        />
      ),
    },
    {
      name: 'Stream',
      count: recording.chunks.length > 1 ? recording.chunks.length : undefined,
      view: <StreamView key={subject.key} recording={recording} seen={subject.seen} />,
    },
    { name: 'Trace', count: known && known.spans.length + known.models.length, view: <TraceView run={known} /> },
    { name: 'Logs', count: known?.logs.length, view: <LogsView run={known} /> },
    { name: 'Headers', view: <HeadersView run={known} recording={recording} /> },
  ]
  if (failure !== null) tabs.unshift({ name: 'Error', view: <ErrorView failure={failure} /> })
  const callsModels = (known?.models.length ?? 0) > 0
  const code: Tab<RunTab> = {
    name: 'Code',
    view: <SnippetsView route={route} input={input} callsModels={callsModels} />,
  }
  const isIdle = subject.state === 'idle'
  return (
    <div className="run-view">
      <Tabs
        label="Result"
        tabs={isIdle ? [{ name: 'Output', view: <NothingYet /> }, code] : [...tabs, code]}
        selected={isNews ? 'Error' : choice.view}
        onSelect={(view) => setChoice({ view, key: subject.key })}
      >
        {!isIdle && <RunStats subject={subject} />}
      </Tabs>
    </div>
  )
}

function RunStats({ subject: { state, status, recording } }: { subject: Subject }): ReactNode {
  if (state === 'idle') return null
  return (
    <p className="facts">
      <RunPill run={{ state, status }} />
      {recording.total !== null && <span className="num">{toDuration(recording.total)}</span>}
      <span className="num">{toSize(recordingSize(recording))}</span>
    </p>
  )
}

function NothingYet(): ReactNode {
  return (
    <Empty title="Not called yet">
      <p className="quiet">The response is shown here as it arrives.</p>
    </Empty>
  )
}

function HeadersView({ run, recording }: { run: Run | undefined; recording: StreamRecording }): ReactNode {
  return (
    <div className="headers-view">
      <HeaderLines title="Response" headers={recording.headers} />
      {run === undefined ? (
        <p className="quiet">The request headers are shown once the run is recorded.</p>
      ) : (
        <HeaderLines title="Request" headers={run.request.headers} />
      )}
    </div>
  )
}

function HeaderLines({ title, headers }: { title: string; headers: RunHeaders }): ReactNode {
  const text = headers.map(([name, value]) => `${name}: ${value}`).join('\n')
  return (
    <section aria-label={title}>
      <h2>
        {title} <span className="count">{headers.length}</span>
        <CopyButton text={text} />
      </h2>
      {headers.length === 0 ? (
        <p className="quiet">None</p>
      ) : (
        <dl className="pairs">
          {headers.map(([name, value], index) => (
            // oxlint-disable-next-line react/no-array-index-key -- names may repeat, and lines do not move
            <div key={index}>
              <dt className="quiet">{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}
