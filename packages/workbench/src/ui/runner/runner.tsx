import { useState, type KeyboardEvent, type ReactNode } from 'react'
import type { Manifest } from '../../manifest.ts'
import { InputEditor } from '../input/input-editor.tsx'
import { EMPTY_INPUT, type CallInput } from '../input/call-input.ts'
import { Empty } from '../parts/empty.tsx'
import { ProblemView } from '../parts/problem-view.tsx'
import { RouteName } from '../parts/route-name.tsx'
import { RunView } from '../run/run-view.tsx'
import { useCall } from './use-call.ts'

interface RunnerProps {
  readonly name: string
  readonly manifest: Manifest
}

/** Runs an agent and shows what comes back, as it comes back. */
export function Runner({ name, manifest }: RunnerProps): ReactNode {
  const route = `POST /agent/${name}`
  const info = manifest.routes.find((one) => one.route === route)
  const problem = manifest.problems.find((one) => one.route === route)
  const call = useCall(route)
  const [input, setInput] = useState<CallInput>(EMPTY_INPUT)
  if (info === undefined && problem === undefined) return <Empty title={`There is no agent ${name}`} />

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault()
      call.send(input)
    } else if (event.key === 'Escape') call.cancel()
  }

  return (
    <div className="runner" onKeyDown={onKeyDown}>
      <header>
        <h1 className="bar">
          <RouteName route={route} />
          {call.isRunning ? (
            <button type="button" className="stop" onClick={call.cancel}>
              Cancel <kbd>Esc</kbd>
            </button>
          ) : (
            <button type="button" className="run" onClick={() => call.send(input)}>
              Run <kbd>⌘⏎</kbd>
            </button>
          )}
        </h1>
        {info?.description !== undefined && <p className="quiet">{info.description}</p>}
        {problem !== undefined && <ProblemView problem={problem} />}
      </header>
      <div className="halves">
        <InputEditor route={route} schema={null} value={input} onChange={setInput} faults={[]} />
        <RunView call={call} run={undefined} route={route} input={input} />
      </div>
    </div>
  )
}
