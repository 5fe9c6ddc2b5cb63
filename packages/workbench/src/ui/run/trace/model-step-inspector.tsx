import type { ReactNode } from 'react'
import type { RunModelStep, RunTokens } from '../../../run.ts'
import { toCount, toDuration } from '../../components/format.ts'
import { ErrorStack } from '../error/error-stack.tsx'
import { SpanBody } from './span-body.tsx'

/** A step of a model: its times, tokens, request, answer and tool calls. */
export function ModelStepInspector({ step }: { step: RunModelStep }): ReactNode {
  const { provider, model, index, tokens, input, output, toolCalls, error } = step
  return (
    <section className="span-inspector" aria-label="Selected model step">
      <header>
        <h2>
          {model} <span className="quiet">{provider}</span>
        </h2>
      </header>
      <p className="quiet num">
        step {index + 1} · +{toDuration(step.startedAt)} ·{' '}
        {step.endedAt === null ? 'not ended' : toDuration(step.endedAt - step.startedAt)}
        {step.firstMs !== null && ` · first chunk after ${toDuration(step.firstMs)}`}
        {step.finishReason !== null && ` · ${step.finishReason}`}
      </p>
      <p className="quiet num">{tokens === null ? 'The provider reported no tokens.' : toTokenText(tokens)}</p>
      {error !== null && (
        <div className="span-error">
          <p className="fault">
            {error.name}: {error.message}
          </p>
          <ErrorStack error={error} />
        </div>
      )}
      {toolCalls.length > 0 && (
        <>
          <h3>Tool calls</h3>
          <ul className="tool-calls">
            {toolCalls.map(({ id, name, startedAt, endedAt, hasFailed }) => (
              <li key={id}>
                <code>{name}</code>{' '}
                <span className="quiet num">
                  +{toDuration(startedAt)} · {endedAt === null ? 'not ended' : toDuration(endedAt - startedAt)}
                  {hasFailed && ' · failed'}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      <SpanBody title="Request" text={input} />
      <SpanBody title="Answer" text={output} />
    </section>
  )
}

/** Formats tokens as `1,200 tokens in (800 cached), 90 out (40 reasoning)`. */
export function toTokenText({ input, cached, output, reasoning }: RunTokens): string {
  const part = (count: number, name: string): string => (count === 0 ? '' : ` (${toCount(count)} ${name})`)
  return `${toCount(input)} tokens in${part(cached, 'cached')}, ${toCount(output)} out${part(reasoning, 'reasoning')}`
}
