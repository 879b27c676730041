/**
 * Leaves prose out of mutation testing: a text literal with a space in it is a sentence or the
 * name of a check, not a code, a key or a kind. The words a decision shows are compared with approved texts anyway.
 */
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

const prose = {
  shouldIgnore(path) {
    if (path.isStringLiteral() && path.node.value.includes(' ')) return 'prose';
    if (path.isTemplateLiteral() && path.node.expressions.length === 0) {
      return path.node.quasis[0].value.cooked?.includes(' ') ? 'prose' : undefined;
    }
    return undefined;
  },
};

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'prose', prose)];
