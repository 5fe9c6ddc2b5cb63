import { createContext, useContext, type ComponentType, type ReactNode, useEffect, useRef } from 'react'
import type { Json } from './json-tree.ts'
import type { Shape } from './shape.ts'

/** Props of every field. */
export interface FieldProps<S extends Shape = Shape> {
  readonly shape: S
  /** Undefined where it is absent. */
  readonly value: Json | undefined
  /** Undefined removes it, where it may be absent. */
  readonly onChange: (next: Json | undefined) => void
  /** Where it is, as a JSON Pointer. */
  readonly pointer: string
  readonly label: string
  readonly isRequired?: boolean
  /** May it be absent? Items of a list may not; their list removes them. */
  readonly canBeAbsent?: boolean
  readonly actions?: ReactNode
  /** A member that is not shown, as it is chosen elsewhere. */
  readonly hidden?: string | null
  /** The description, where its own shape has none. */
  readonly note?: string | undefined
  /** Is it inside of the frame of another field, which has the label? */
  readonly isBare?: boolean
}

/** Context that all fields of a form share. */
export interface FormScope {
  readonly id: string
  readonly issues: ReadonlyMap<string, readonly string[]>
  /** The field of any shape. It is in the context, so that modules of fields do not import each other in a cycle. */
  readonly Field: ComponentType<FieldProps>
}

const Scope = createContext<FormScope | null>(null)

/** Gives all fields below what they share. */
export const FormScopeProvider = Scope.Provider

/** Returns the context of the form around a field. */
export function useForm(): FormScope {
  const scope = useContext(Scope)
  if (scope === null) throw new TypeError('a field stands inside of a SchemaForm')
  return scope
}

type FieldLocation = Pick<FieldProps, 'pointer' | 'shape' | 'label' | 'note' | 'isRequired'>

/** Returns the ids and the issues of a field, and its description, which is empty where there is none. */
export function useFieldIds(props: FieldLocation) {
  const { id: formId, issues: all } = useForm()
  const id = fieldId(formId, props.pointer)
  const issues = all.get(props.pointer) ?? []
  const note = noteOf(props)
  const described = [note === '' ? '' : `${id}-note`, issues.length === 0 ? '' : `${id}-fault`].join(' ').trim()
  const control = {
    id,
    'aria-invalid': issues.length > 0 ? true : undefined,
    'aria-required': props.isRequired === true ? true : undefined,
    'aria-describedby': described === '' ? undefined : described,
  }
  return { id, issues, note, control }
}

/** Leaves out a title that only repeats the name. */
function noteOf({ shape: { title, description }, label, note = '' }: FieldLocation): string {
  const isNew = title !== undefined && title.toLowerCase() !== label.toLowerCase()
  return [isNew ? title : '', description ?? ''].filter((text) => text !== '').join(': ') || note
}

/** The id of the control at a place. Names may hold spaces, which ids may not. */
export function fieldId(formId: string, pointer: string): string {
  return `${formId}${encodeURIComponent(pointer.replaceAll(/\p{Surrogate}/gu, '\uFFFD'))}`
}

/** Moves the focus to an element by its id, once the next render has made it. */
export function useFocusNext(): (id: string) => void {
  const wanted = useRef<string | null>(null)
  useEffect(() => {
    if (wanted.current === null) return
    document.getElementById(wanted.current)?.focus()
    wanted.current = null
  })
  return (id) => {
    wanted.current = id
  }
}
