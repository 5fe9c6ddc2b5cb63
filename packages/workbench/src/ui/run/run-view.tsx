import { useMemo, useState, type ReactNode } from 'react'
import type { Run, RunHeaders } from '../../run.ts'
import type { CallInput } from '../input/call-input.ts'
import { Empty } from '../components/empty.tsx'
import { parseJson } from '../components/parse-json.ts'
import { toDuration, toSize } from '../components/format.ts'
import { RunPill } from '../components/pill.tsx'
import { Tabs, type Tab } from '../components/tabs.tsx'
import type { RunnerCall } from '../runner/runner-call.ts'
import type { ChatMessage } from '../conversation/chat-message.ts'
import { ConversationView } from '../conversation/conversation-view.tsx'
import { toConversation } from '../conversation/conversation.ts'
import { SnippetsView } from './code/code-view.tsx'
import { ErrorView } from './error/error-view.tsx'
import { toRunFailure } from './error/failure.ts'
import { LogsView } from './trace/logs-view.tsx'
import { OutputView } from './stream/output-view.tsx'
import { toOutput, type Output } from './stream/output.ts'
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

type RunTab = 'Error' | 'Output' | 'Conversation' | 'Stream' | 'Trace' | 'Logs' | 'Headers' | 'Code'

/**
 * The views of a run: Output, Stream, Trace, Logs, Headers, Code, Conversation if it called a model or streamed a
 * message, and Error if it failed.
 */
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
  const output = useOutput(subject)
  const messages = useConversation(output, known, input)
  if (messages.length > 0)
    tabs.splice(1, 0, {
      name: 'Conversation',
      view: <ConversationView messages={messages} isBusy={subject.state === 'running'} />,
    })
  if (failure !== null) tabs.unshift({ name: 'Error', view: <ErrorView failure={failure} /> })
  const code: Tab<RunTab> = {
    name: 'Code',
    view: <SnippetsView route={route} input={input} run={known} output={valueOf(output)} />,
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

/** Returns the output of a run, which is parsed only once. */
function useOutput({ fullest, output }: Subject): Output {
  return useMemo(() => toOutput(fullest, output), [fullest, output])
}

/** Returns the conversation of a run, or an empty list if it has none. */
function useConversation(output: Output, run: Run | undefined, input: CallInput): readonly ChatMessage[] {
  const values = output.kind === 'chunks' ? output.values : NO_VALUES
  const models = run?.models ?? NO_VALUES
  const body = run?.request.body?.text ?? input.body
  return useMemo(() => toConversation({ input: parseJson(body), output: values, models }), [body, values, models])
}

const NO_VALUES: readonly never[] = []

/** Returns the output that a client receives, or undefined for text and bytes. */
function valueOf(output: Output): unknown {
  if (output.kind === 'chunks') return output.values
  return output.kind === 'value' ? output.value : undefined
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
