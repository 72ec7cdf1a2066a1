// Disabled: a button that cannot be pressed just now keeps the keyboard where it is, so that who has pressed it need not
// look for it again. What a view writes as `disabled` is told to readers of screens, and does nothing.

import { type VNode, options } from "preact";

const stop = (event: Event): void => event.preventDefault();

export function keepDisabledInReach(): void {
  const next = options.vnode;
  options.vnode = (vnode: VNode) => {
    const props = vnode.props as Record<string, unknown>;
    if (vnode.type === "button" && "disabled" in props) {
      if (props.disabled) Object.assign(props, { "aria-disabled": "true", onClick: stop });
      delete props.disabled;
    }
    next?.(vnode);
  };
}
