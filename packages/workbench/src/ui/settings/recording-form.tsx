import { useAPI } from '@sdk/react'
import { useState, type FormEvent, type ReactNode } from 'react'
import type { Settings } from '../../api.ts'
import { ClearRuns } from './clear-runs.tsx'

/** Settings for recording and retention. */
export function RecordingSettings(): ReactNode {
  const { data, error, refetch } = useAPI('GET /_workbench/api/settings')
  const { invoke, isLoading, data: saved, error: refusal } = useAPI('PUT /_workbench/api/settings')

  // The error is part of the call's state.
  const save = (next: Settings): void => void invoke(next).then(refetch, () => {})

  return (
    <section aria-labelledby="recording">
      <h2 id="recording">Recording</h2>
      {data !== undefined && (
        <RecordingForm key={JSON.stringify(data)} settings={data} isSaving={isLoading} onSave={save} />
      )}
      {data === undefined && error !== null && (
        <p className="notice">
          {error.status === 401 || error.status === 403
            ? 'Open the link that sdk dev printed: without it, these settings cannot be read.'
            : 'This server has no recording settings: only sdk dev has them.'}
        </p>
      )}
      {refusal !== null && (
        <p className="fault" role="alert">
          {refusal.message}
        </p>
      )}
      {saved !== undefined && saved.fault !== null && (
        <p className="notice" role="alert">
          These settings apply only until sdk dev stops: {saved.fault}.
        </p>
      )}
      <ClearRuns />
    </section>
  )
}

interface RecordingFormProps {
  readonly settings: Settings
  readonly isSaving: boolean
  readonly onSave: (next: Settings) => void
}

const MB = 1_000_000

function RecordingForm({ settings, isSaving, onSave }: RecordingFormProps): ReactNode {
  const [draft, setDraft] = useState(settings)
  const [names, setNames] = useState(settings.redact.join(', '))
  const change = (some: Partial<Settings>): void => setDraft({ ...draft, ...some })
  const next = { ...draft, redact: toNames(names) }
  const isSame = JSON.stringify(next) === JSON.stringify(settings)

  function submit(event: FormEvent): void {
    event.preventDefault()
    onSave(next)
  }

  return (
    <form onSubmit={submit}>
      <Setting id="recording-on" label="Record calls" hint="When off, new runs, traces and errors are not stored.">
        <input
          id="recording-on"
          type="checkbox"
          checked={draft.isRecording}
          onChange={(event) => change({ isRecording: event.target.checked })}
        />
      </Setting>
      <Setting id="max-runs" label="Runs to keep" hint="Pinned runs do not count toward this limit.">
        <NumberSetting id="max-runs" value={draft.maxRuns} onChange={(maxRuns) => change({ maxRuns })} />
      </Setting>
      <Setting id="max-mb" label="Storage limit (MB)" hint="Runs are stored in .sdk/workbench in the project.">
        <NumberSetting id="max-mb" value={draft.maxBytes / MB} onChange={(mb) => change({ maxBytes: mb * MB })} />
      </Setting>
      <Setting
        id="redact"
        label="Names to hide"
        hint="Headers and fields with these names are redacted before they are stored, in addition to passwords, cookies, tokens and keys."
      >
        <input
          id="redact"
          value={names}
          placeholder="x-internal, iban"
          spellCheck={false}
          onChange={(event) => setNames(event.target.value)}
        />
      </Setting>
      <div className="setting">
        <span />
        <button type="submit" className="button primary" disabled={isSame || isSaving}>
          {isSaving ? 'Saving' : isSame ? 'Saved' : 'Save'}
        </button>
      </div>
    </form>
  )
}

interface SettingProps {
  readonly id: string
  readonly label: string
  readonly hint: string
  readonly children: ReactNode
}

function Setting({ id, label, hint, children }: SettingProps): ReactNode {
  return (
    <div className="setting">
      <label htmlFor={id}>{label}</label>
      <div>
        {children}
        <p className="hint">{hint}</p>
      </div>
    </div>
  )
}

interface NumberSettingProps {
  readonly id: string
  readonly value: number
  readonly onChange: (value: number) => void
}

function NumberSetting({ id, value, onChange }: NumberSettingProps): ReactNode {
  return (
    <input
      id={id}
      type="number"
      className="num"
      min={1}
      required
      value={Number.isNaN(value) ? '' : value}
      onChange={(event) => onChange(event.target.valueAsNumber)}
    />
  )
}

/** Parses names separated by commas or spaces, without duplicates. */
export function toNames(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((name) => name !== ''))]
}
