import { useEffect, useState, type KeyboardEvent, type ReactNode } from 'react'
import type { Manifest, Problem } from '../manifest.ts'
import { ProblemView } from './problem-view.tsx'
import { Result } from './result.tsx'
import { RouteName } from './route-name.tsx'
import { useAgent } from './use-agent.ts'

interface RunnerProps {
  info: Manifest['routes'][number]
  problem: Problem | undefined
}

/** Runs an agent with a JSON input and shows what comes back, as it comes back. */
export function Runner({ info, problem }: RunnerProps): ReactNode {
  const agent = useAgent(info.route as `POST /agent/${string}`)
  const [input, setInput] = useKeptText(`input:${info.route}`, '{}')
  const fault = faultOf(input)

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault()
      if (fault === null) agent.run(input)
    } else if (event.key === 'Escape') agent.cancel()
  }

  return (
    <div className="runner" onKeyDown={onKeyDown}>
      <header>
        <h1 className="bar">
          <RouteName route={info.route} />
          {agent.isRunning ? (
            <button type="button" className="stop" onClick={agent.cancel}>
              Cancel <kbd>Esc</kbd>
            </button>
          ) : (
            <button type="button" className="run" disabled={fault !== null} onClick={() => agent.run(input)}>
              Run <kbd>⌘⏎</kbd>
            </button>
          )}
        </h1>
        {info.description !== undefined && <p className="quiet">{info.description}</p>}
        {problem !== undefined && <ProblemView problem={problem} />}
      </header>
      <div className="halves">
        <section className="input" aria-label="Input">
          <h2>
            <label htmlFor="input">Input</label>
            {fault !== null && <span className="fault">{fault}</span>}
          </h2>
          <textarea
            id="input"
            spellCheck={false}
            value={input}
            aria-invalid={fault !== null}
            onChange={(event) => setInput(event.target.value)}
          />
        </section>
        <Result agent={agent} input={input} route={info.route} />
      </div>
    </div>
  )
}

/** Why a text is no JSON; null where it is, or where there is none. */
function faultOf(text: string): string | null {
  if (text.trim() === '') return null
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** A text that is still there when one comes back to the page. */
function useKeptText(key: string, initial: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? initial)
  useEffect(() => sessionStorage.setItem(key, text), [key, text])
  return [text, setText]
}
