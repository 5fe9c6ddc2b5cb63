import { Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { useFieldIds, type FieldProps } from './form-context.ts'

type FieldFrameProps = FieldProps & {
  /** The type of the value, as one word. */
  readonly hint?: string | undefined
  /** An issue that only the control can detect, such as an incomplete number. */
  readonly ownIssue?: string | undefined
  readonly children: ReactNode
}

/** A control with its label, description and issues. */
export function FieldFrame(props: FieldFrameProps): ReactNode {
  const { isRequired = false, label, actions, hint, ownIssue, isBare = false, children } = props
  const { id, issues, note } = useFieldIds(props)
  if (isBare)
    return (
      <>
        <label className="unseen" id={`${id}-label`} htmlFor={id}>
          {label}
        </label>
        {children}
        {ownIssue !== undefined && <p className="form-fault">{ownIssue}</p>}
      </>
    )
  return (
    <div className="form-field" data-invalid={issues.length > 0 || ownIssue !== undefined || undefined}>
      <div className="form-head">
        <label id={`${id}-label`} htmlFor={id}>
          {label}
        </label>
        {isRequired && <Required />}
        {hint !== undefined && <span className="form-hint">{hint}</span>}
        <span className="form-actions">{actions}</span>
      </div>
      {children}
      <Notes id={id} note={note} issues={ownIssue === undefined ? issues : [ownIssue]} />
    </div>
  )
}

/** A collapsible group of fields. */
export function GroupFrame(props: FieldFrameProps & { readonly count?: number }): ReactNode {
  const { isRequired = false, label, actions, hint, count, isBare = false, children } = props
  const { id, issues, note, control } = useFieldIds(props)
  if (isBare) return children
  return (
    <div
      className="form-group"
      role="group"
      aria-labelledby={`${id}-label`}
      aria-describedby={control['aria-describedby']}
      data-invalid={issues.length > 0 || undefined}
    >
      <span className="form-actions">{actions}</span>
      <details open>
        <summary id={id}>
          <span id={`${id}-label`}>{label}</span>
          {isRequired && <Required />}
          {count !== undefined && <span className="count">{count}</span>}
          {hint !== undefined && <span className="form-hint">{hint}</span>}
        </summary>
        <Notes id={id} note={note} issues={issues} />
        <div className="form-group-body">{children}</div>
      </details>
    </div>
  )
}

function Required(): ReactNode {
  return (
    <span className="form-required" title="required" aria-hidden="true">
      *
    </span>
  )
}

function Notes({ id, note, issues }: { id: string; note: string; issues: readonly string[] }): ReactNode {
  return (
    <>
      {note !== '' && (
        <p className="form-note" id={`${id}-note`}>
          {note}
        </p>
      )}
      {issues.length > 0 && (
        <p className="form-fault" id={`${id}-fault`}>
          {issues.join('; ')}
        </p>
      )}
    </>
  )
}

/** A button that removes a field. */
export function RemoveButton({ label, onClick, id }: { label: string; onClick: () => void; id?: string }): ReactNode {
  return (
    <button
      type="button"
      className="button icon small"
      id={id}
      aria-label={`Remove ${label}`}
      title={`Remove ${label}`}
      onClick={onClick}
    >
      <Trash2 size={13} aria-hidden="true" />
    </button>
  )
}

/** A frame that shows a branch selector above the selected branch's field. */
export function ChoiceFrame(props: FieldFrameProps & { readonly choice: ReactNode }): ReactNode {
  const { isRequired = false, label, actions, choice, children } = props
  const { id, issues, note } = useFieldIds(props)
  return (
    <div
      className="form-field form-union"
      role="group"
      aria-labelledby={`${id}-union`}
      data-invalid={issues.length > 0 || undefined}
    >
      <div className="form-head">
        <span id={`${id}-union`}>{label}</span>
        {isRequired && <Required />}
        {choice}
        <span className="form-actions">{actions}</span>
      </div>
      {children !== null && <div className="form-union-body">{children}</div>}
      <Notes id={id} note={note} issues={issues} />
    </div>
  )
}
