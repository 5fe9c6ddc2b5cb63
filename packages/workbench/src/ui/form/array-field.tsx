import { ArrowDown, ArrowUp } from 'lucide-react'
import { useState, type KeyboardEvent, type ReactNode } from 'react'
import { moveItem } from './edits.ts'
import { GroupFrame, RemoveButton } from './field-frame.tsx'
import { fieldId, useFieldIds, useForm, type FieldProps, useFocusNext } from './form-context.ts'
import type { Json, JsonArray } from './json-tree.ts'
import { firstValue } from './sample.ts'
import { shapeOf, type Lazy, type Shape } from './shape.ts'

type ArrayProps = FieldProps<Extract<Shape, { kind: 'array' }>>

const EMPTY_ARRAY: JsonArray = { kind: 'array', items: [] }
const ANY_ITEM = shapeOf(true, {})
/** The number of items shown at once. It is limited because rendering a field is more expensive than rendering text. */
const ITEMS_PER_PAGE = 100

/** A list whose items can be added, removed and moved, either with buttons or with Alt and an arrow key. */
export function ArrayField(props: ArrayProps): ReactNode {
  const { shape, pointer } = props
  const { id } = useFieldIds(props)
  const edits = useItems(props)
  const { items } = edits.array
  const next = shape.prefix[items.length] ?? shape.rest
  const [shown, setShown] = useState(ITEMS_PER_PAGE)
  return (
    <GroupFrame {...props} hint={shape.prefix.length > 0 ? 'tuple' : 'array'} count={items.length}>
      {items.slice(0, shown).map((_, index) => (
        // Keyed by index, since items have no ids and the text typed into a field belongs to its position.
        // oxlint-disable-next-line react/no-array-index-key
        <ArrayItem key={index} shape={shape} pointer={pointer} edits={edits} index={index} />
      ))}
      {items.length > shown && (
        <button type="button" className="form-add" onClick={() => setShown(shown + ITEMS_PER_PAGE)}>
          {items.length - shown} more
        </button>
      )}
      {next !== null && (
        <div className="form-adds">
          <button
            type="button"
            id={`${id}-add`}
            className="form-add"
            onClick={() => {
              setShown(Math.max(shown, items.length + 1))
              edits.add(firstValue(next()))
            }}
          >
            + item
          </button>
        </div>
      )}
    </GroupFrame>
  )
}

type ItemEdits = ReturnType<typeof useItems>

type ArrayItemProps = Pick<ArrayProps, 'shape' | 'pointer'> & { edits: ItemEdits; index: number }

function ArrayItem({ shape, pointer, edits, index }: ArrayItemProps): ReactNode {
  const { Field, id } = useForm()
  const inner: Lazy | null = shape.prefix[index] ?? shape.rest
  const place = `${pointer}/${index}`
  // The items of a tuple have fixed positions, so removing one would shift those that follow.
  const canMove = index >= shape.prefix.length
  const canRemove = canMove || index === edits.array.items.length - 1

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    if (!event.altKey || step === undefined || !canMove) return
    event.preventDefault()
    event.stopPropagation()
    edits.move(index, index + step)
  }

  return (
    <div onKeyDown={onKeyDown}>
      <Field
        shape={inner === null ? ANY_ITEM : inner()}
        value={edits.array.items[index]}
        onChange={(next) => next !== undefined && edits.set(index, next)}
        pointer={place}
        label={`Item ${index + 1}`}
        canBeAbsent={false}
        actions={
          <>
            {canMove && <MoveButtons id={fieldId(id, place)} index={index} first={shape.prefix.length} edits={edits} />}
            {canRemove && (
              <RemoveButton
                id={`${fieldId(id, place)}-remove`}
                label={`item ${index + 1}`}
                onClick={() => edits.remove(index)}
              />
            )}
          </>
        }
      />
    </div>
  )
}

type MoveButtonsProps = { id: string; index: number; first: number; edits: ItemEdits }

function MoveButtons({ id, index, first, edits }: MoveButtonsProps): ReactNode {
  const label = `item ${index + 1}`
  const buttons = [
    { name: 'up', step: -1, can: index > first, Icon: ArrowUp },
    { name: 'down', step: 1, can: index < edits.array.items.length - 1, Icon: ArrowDown },
  ] as const
  return buttons.map(({ name, step, can, Icon }) => (
    <button
      key={name}
      type="button"
      className="button icon small"
      id={`${id}-${name}`}
      aria-label={`Move ${label} ${name}`}
      title={`Move ${label} ${name} (Alt+${name === 'up' ? '↑' : '↓'})`}
      // `disabled` is not used, since the button would lose the focus at the end of the list.
      aria-disabled={!can}
      onClick={() => can && edits.move(index, index + step)}
    >
      <Icon size={13} aria-hidden="true" />
    </button>
  ))
}

function useItems({ value, onChange, pointer }: ArrayProps) {
  const array = value?.kind === 'array' ? value : EMPTY_ARRAY
  const { id } = useForm()
  const focusNext = useFocusNext()
  const idAt = (index: number): string => fieldId(id, `${pointer}/${index}`)
  return {
    array,
    move(from: number, to: number): void {
      const next = moveItem(array, from, to)
      if (next === array) return
      const active = document.activeElement?.id ?? ''
      if (active.startsWith(idAt(from))) focusNext(idAt(to) + active.slice(idAt(from).length))
      onChange(next)
    },
    add(item: Json): void {
      focusNext(idAt(array.items.length))
      onChange({ kind: 'array', items: [...array.items, item] })
    },
    remove(index: number): void {
      const isLast = index === array.items.length - 1
      focusNext(isLast ? `${fieldId(id, pointer)}-add` : `${idAt(index)}-remove`)
      onChange({ kind: 'array', items: array.items.toSpliced(index, 1) })
    },
    set: (index: number, item: Json): void => onChange({ kind: 'array', items: array.items.with(index, item) }),
  }
}
