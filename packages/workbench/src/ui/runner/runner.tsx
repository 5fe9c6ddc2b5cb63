import type { ReactNode } from 'react'
import type { Manifest } from '../../manifest.ts'
import { ChatView } from '../conversation/chat-view.tsx'
import { chatStyleOf, type ChatStyle } from '../conversation/chat.ts'
import { useChat, type ChatState } from '../conversation/use-chat.ts'
import { isKnownAgent } from '../durable/use-durable.ts'
import { InputEditor } from '../input/input-editor.tsx'
import { Empty } from '../components/empty.tsx'
import { ProblemView } from '../components/problem-view.tsx'
import { SplitPane } from '../components/split-pane.tsx'
import { useHotkeys } from '../components/use-hotkeys.ts'
import { RunView } from '../run/run-view.tsx'
import { History } from './history.tsx'
import { ShownRun } from './shown-run.tsx'
import { useAgent, type AgentInfo } from './use-agent.ts'
import { useRunner, type RunnerState } from './use-runner.ts'
import { RunButton } from './run-button.tsx'
import { RouteName } from '../components/route-name.tsx'
import type { Run } from '../../run.ts'
import { toChunks, toDuration } from '../components/format.ts'
import { useTick } from '../components/use-tick.ts'
import type { RunnerCall } from './runner-call.ts'
import './runner.css'

/** Runs an agent and shows the response as it arrives. */
export function Runner({ name, manifest }: { name: string; manifest: Manifest }): ReactNode {
  const route = `POST /agent/${name}`
  const info = manifest.routes.find((one) => one.route === route)
  const problem = manifest.problems.find((one) => one.route === route)
  const runner = useRunner(route)
  const agent = useAgent(name)
  const style = chatStyleOf(agent.schema, isKnownAgent(manifest, name))
  const chat = useChat(route, runner, style)
  const { call } = runner
  // Calls are possible only once the schema is known, since the first input is created from it.
  const send = (): void => (agent.isKnown ? runner.send() : undefined)
  useHotkeys({ 'mod+Enter': send, ...(call.isRunning ? { Escape: call.cancel } : {}) })
  if (info === undefined && problem === undefined) {
    return (
      <Empty isPage title={`Agent ${name} not found`}>
        <p>
          Create it with <code>npx sdk add agent {name}</code>
        </p>
      </Empty>
    )
  }
  return (
    <div className="runner">
      <header>
        <div className="run-bar">
          <h1>
            <RouteName route={route} />
          </h1>
          <RunButton canRun={agent.isKnown} isRunning={call.isRunning} onRun={send} onCancel={call.cancel} />
        </div>
        {info?.description !== undefined && <p className="quiet">{info.description}</p>}
        {problem !== undefined && <ProblemView problem={problem} />}
      </header>
      <SplitPane
        name="runner"
        label="Input and result"
        initial={40}
        first={
          agent.isKnown ? (
            <Input
              route={route}
              agent={agent}
              note={problem && NOT_LOADED}
              runner={runner}
              chat={style === null ? null : { chat, style }}
            />
          ) : (
            <p className="late quiet">Waiting for the input schema</p>
          )
        }
        second={<Result route={route} runner={runner} />}
      />
      <History route={route} runner={runner} />
    </div>
  )
}

const NOT_LOADED = 'The agent failed to load, so its input schema is unknown. The form appears once the agent loads.'

interface InputProps {
  readonly route: string
  readonly agent: AgentInfo
  readonly note: string | undefined
  readonly runner: RunnerState
  /** The conversation, or null if the agent takes none. */
  readonly chat: { readonly chat: ChatState; readonly style: ChatStyle } | null
}

function Input({ route, agent, note, runner, chat }: InputProps): ReactNode {
  const { input, setInput, issues } = runner
  return (
    <div className="fill">
      <InputEditor
        route={route}
        schema={agent.schema}
        note={note ?? agent.note}
        value={input}
        onChange={setInput}
        issues={issues}
        chat={chat && <ChatView {...chat} recording={runner.call.recording} />}
      />
    </div>
  )
}

function Result({ route, runner }: { route: string; runner: RunnerState }): ReactNode {
  const { call, run, runId, isMissing, input } = runner
  return (
    <div className="fill">
      {runId !== null && <ShownRun runner={runner} />}
      {isMissing ? (
        <Empty title="This run no longer exists">
          <p className="quiet">The oldest runs are deleted first; pinned runs are kept.</p>
        </Empty>
      ) : (
        <>
          {runId === null && <WaitingStatus call={call} run={run} />}
          <RunView call={runId === null ? call : null} run={run} route={route} input={input} />
        </>
      )}
    </div>
  )
}

/** The delay before the status is shown, in ms. It avoids flicker for fast calls. */
const SHOW_AFTER_MS = 400
const EXPLAIN_AFTER_MS = 10_000

/** How long an aborted handler may take to stop, in ms. */
const CANCEL_GRACE_MS = 2000

function WaitingStatus({ call, run }: { call: RunnerCall; run: Run | undefined }): ReactNode {
  const isLeft = call.state === 'cancelled' && run?.state === 'running'
  const now = useTick(call.isRunning || isLeft)
  const elapsed = Math.max(0, now - call.startedAt)
  if (isLeft && elapsed - (call.recording.total ?? 0) > CANCEL_GRACE_MS)
    return (
      <div className="waiting" role="status">
        The call was cancelled, but its handler is still running: it ignores <code>ctx.signal</code>.
      </div>
    )
  if (!call.isRunning || elapsed < SHOW_AFTER_MS) return null
  return (
    <div className="waiting" role="status">
      <span className="num">{toDuration(Math.floor(elapsed / 100) * 100)}</span> ·{' '}
      {call.recording.headAt === null ? 'waiting for the response' : `${toChunks(call.recording.chunks.length)} so far`}
      {elapsed > EXPLAIN_AFTER_MS && (
        <p>
          The handler is still running. Cancel aborts <code>ctx.signal</code>; a handler that ignores it, or does not
          pass it to the functions it calls, keeps running.
        </p>
      )}
    </div>
  )
}
