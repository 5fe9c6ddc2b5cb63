import type { ReactNode } from 'react'
import type { Manifest } from '../../manifest.ts'
import { InputEditor } from '../input/input-editor.tsx'
import { Empty } from '../components/empty.tsx'
import { ProblemView } from '../components/problem-view.tsx'
import { SplitPane } from '../components/split.tsx'
import { useHotkeys } from '../components/use-hotkeys.ts'
import { RunView } from '../run/run-view.tsx'
import { History } from './history.tsx'
import { RunnerBar } from './run-bar.tsx'
import { ShownRun } from './shown-run.tsx'
import { useAgent, type AgentInfo } from './use-agent.ts'
import { useRunner, type RunnerState } from './use-runner.ts'
import { WaitingStatus } from './waiting.tsx'
import './runner.css'

/** Runs an agent and shows what comes back, as it comes back. */
export function Runner({ name, manifest }: { name: string; manifest: Manifest }): ReactNode {
  const route = `POST /agent/${name}`
  const info = manifest.routes.find((one) => one.route === route)
  const problem = manifest.problems.find((one) => one.route === route)
  const runner = useRunner(route)
  const agent = useAgent(name)
  const { call } = runner
  // Not before the schema is known: the first input is made of it.
  const send = (): void => (agent.isKnown ? runner.send() : undefined)
  useHotkeys({ 'mod+Enter': send, ...(call.isRunning ? { Escape: call.cancel } : {}) })
  if (info === undefined && problem === undefined) {
    return (
      <Empty isPage title={`There is no agent ${name}`}>
        <p>
          Make it with <code>npx sdk add agent {name}</code>
        </p>
      </Empty>
    )
  }
  return (
    <div className="runner">
      <header>
        <RunnerBar
          route={route}
          isReady={agent.isKnown}
          isRunning={call.isRunning}
          onRun={send}
          onCancel={call.cancel}
        />
        {info?.description !== undefined && <p className="quiet">{info.description}</p>}
        {problem !== undefined && <ProblemView problem={problem} />}
      </header>
      <SplitPane
        name="runner"
        label="Input and result"
        initial={40}
        first={
          agent.isKnown ? (
            <Input route={route} agent={agent} note={problem && NOT_LOADED} runner={runner} />
          ) : (
            <p className="late quiet">Waiting for the app to say what it takes</p>
          )
        }
        second={<Result route={route} runner={runner} />}
      />
      <History route={route} runner={runner} />
    </div>
  )
}

const NOT_LOADED = 'Its file does not load, so its input schema is not known. The form appears as soon as it loads.'

interface InputProps {
  readonly route: string
  readonly agent: AgentInfo
  /** Shown instead of the agent's description. */
  readonly note: string | undefined
  readonly runner: RunnerState
}

function Input({ route, agent, note, runner }: InputProps): ReactNode {
  const { input, setInput, issues } = runner
  return (
    <div className="bench-input">
      <InputEditor
        route={route}
        schema={agent.schema}
        note={note ?? agent.note}
        value={input}
        onChange={setInput}
        issues={issues}
      />
    </div>
  )
}

function Result({ route, runner }: { route: string; runner: RunnerState }): ReactNode {
  const { call, run, runId, isMissing, input } = runner
  return (
    <div className="bench-result">
      {runId !== null && <ShownRun runner={runner} />}
      {isMissing ? (
        <Empty title="This run is not kept any more">
          <p className="quiet">The oldest runs go first; pinned ones stay.</p>
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
