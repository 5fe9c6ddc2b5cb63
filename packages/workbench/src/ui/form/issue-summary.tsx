import type { ReactNode } from 'react'
import type { FieldIssue } from '../input/call-input.ts'
import { fieldId } from './form-context.ts'
import { keysOf } from './json-schema.ts'

/** How many issues are listed; the rest is counted. */
const MAX_LISTED = 5

interface IssueSummaryProps {
  readonly issues: readonly FieldIssue[]
  /** Issues of fields that the user has not visited yet. */
  readonly untold: readonly FieldIssue[]
  readonly formId: string
}

/** All issues in one list; each is a link to its field. */
export function IssueSummary({ issues, untold, formId }: IssueSummaryProps): ReactNode {
  const [next] = untold
  const more = issues.length - MAX_LISTED
  return (
    <div className="form-summary" role="status">
      {issues.length > 0 && (
        <ul>
          {issues.slice(0, MAX_LISTED).map(({ pointer, message }) => (
            <li key={`${pointer} ${message}`}>
              <button type="button" onClick={() => focusField(formId, pointer)}>
                <code>{keysOf(pointer).join('.') || 'input'}</code> {message}
              </button>
            </li>
          ))}
          {more > 0 && <li>and {more} more</li>}
        </ul>
      )}
      {next !== undefined && (
        <button type="button" className="hint" onClick={() => focusField(formId, next.pointer)}>
          {untold.length === 1 ? '1 field' : `${untold.length} fields`} to fill in
        </button>
      )}
    </div>
  )
}

/** Moves the focus to the field at a place, or to the nearest around it, and unfolds what hides it. */
function focusField(formId: string, pointer: string): void {
  for (let place = pointer; ; place = place.slice(0, place.lastIndexOf('/'))) {
    const id = fieldId(formId, place)
    const found = [id, `${id}-branch`, `${id}-add`]
      .map((each) => document.getElementById(each))
      .find((each) => each !== null)
    if (found !== undefined && found !== null) {
      for (let box = found.closest('details'); box !== null; box = box.parentElement?.closest('details') ?? null)
        box.open = true
      found.focus()
      return
    }
    if (place === '') return
  }
}
