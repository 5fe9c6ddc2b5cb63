import type { ReactNode } from 'react'
import type { Run, RunHeaders } from '../../run.ts'
import { CopyButton } from '../components/copy-button.tsx'
import type { StreamRecording } from './stream/recording.ts'

/** The headers of the request and of the response. */
export function HeadersView({ run, recording }: { run: Run | undefined; recording: StreamRecording }): ReactNode {
  return (
    <div className="headers-view">
      <HeaderLines title="Response" headers={recording.headers} />
      {run === undefined ? (
        <p className="quiet">The request's own are shown when the run is recorded.</p>
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
            // oxlint-disable-next-line react/no-array-index-key -- a name may come twice, and lines do not move
            <div key={index}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}
